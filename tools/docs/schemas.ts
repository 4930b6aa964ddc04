import type { IDataObject } from 'n8n-workflow';

import { samples } from './samples';

/** Where n8n looks for output schemas, next to the compiled nodes. */
const FOLDER = 'nodes/VirtualPbx/__schema__';

/**
 * The outputs whose fields n8n shows before a node has run. A trigger has no resource or operation,
 * so n8n distinguishes the schemas of triggers in one folder only by version: 1.1, 1, and 2.
 */
const FILES: Record<string, string[]> = {
	...Object.fromEntries(
		[
			'call:get',
			'call:getMany',
			'call:getMissedCallers',
			'call:getStatistics',
			'call:start',
			'cdr:getMany',
			'employee:getMany',
		].map((name) => [name, [`v1.0.0/${name.replace(':', '/')}.json`]]),
	),
	virtualPbxTrigger: ['v1.1.0.json'],
	virtualPbxRecordTrigger: ['v1.0.0.json'],
	virtualPbxRoutingTrigger: ['v2.0.0.json'],
};

/**
 * Returns the schema files by path, relative to the repository's root, derived from sample items.
 */
export function outputSchemas(): Map<string, string> {
	const items = samples();
	return new Map(
		Object.entries(FILES).flatMap(([name, files]) =>
			files.map((file) => [
				`${FOLDER}/${file}`,
				`${JSON.stringify({ ...schemaOf(items[name] ?? {}), version: 1 }, null, '\t')}\n`,
			]),
		),
	);
}

function schemaOf(value: unknown): IDataObject {
	if (Array.isArray(value)) return { type: 'array', items: schemaOf(value[0]) };
	if (typeof value === 'object' && value !== null) {
		const fields = Object.entries(value).map(([name, field]) => [name, schemaOf(field)] as const);
		return { type: 'object', properties: Object.fromEntries(fields) };
	}
	// A field without a value in the sample is text in other calls.
	return { type: value === null || value === undefined ? 'string' : typeof value };
}
