import type { IDataObject } from 'n8n-workflow';

import { samples } from './samples';

/** Where n8n looks for output schemas, next to the compiled nodes. */
const FOLDER = 'nodes/VirtualPbx/__schema__';

/** Operations whose fields n8n shows before a node has run. */
const OPERATIONS = [
	...['call:get', 'call:getMany', 'call:getMissedCallers', 'call:getStatistics', 'call:start'],
	...['cdr:getMany', 'employee:getMany'],
];

/**
 * A trigger has no resource or operation, so n8n distinguishes the schemas of triggers in one folder only by their
 * versions.
 */
const TRIGGERS = {
	virtualPbxTrigger: 'v1.1.0',
	virtualPbxRecordTrigger: 'v1.0.0',
	virtualPbxRoutingTrigger: 'v2.0.0',
};

/** Returns the schema files by path, relative to the repository's root, derived from sample items. */
export function outputSchemas(): Map<string, string> {
	const items = samples();
	const operations = OPERATIONS.map((name) => [name, `v1.0.0/${name.replace(':', '/')}`] as const);
	return new Map(
		[...operations, ...Object.entries(TRIGGERS)].map(([name, file]) => [
			`${FOLDER}/${file}.json`,
			`${JSON.stringify({ ...schemaOf(items[name] ?? {}), version: 1 }, null, '\t')}\n`,
		]),
	);
}

function schemaOf(value: unknown): IDataObject {
	if (Array.isArray(value)) return { type: 'array', items: schemaOf(value[0]) };
	// A field without a value in the sample is text in other calls.
	if (value === null || value === undefined) return { type: 'string' };
	if (typeof value !== 'object') return { type: typeof value };
	const fields = Object.entries(value).map(([name, field]) => [name, schemaOf(field)] as const);
	return { type: 'object', properties: Object.fromEntries(fields) };
}
