import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeProperties } from 'n8n-workflow';

import { RESOURCES } from '../../../nodes/VirtualPbx/operations';
import {
	readManifest,
	registeredCredentials,
	registeredNodes,
	ROOT,
} from '../../../tools/docs/registered';
import { allProperties } from '../../support/nodes';

const operations = RESOURCES.flatMap((resource) => resource.operations);
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const WORDS_TO_AVOID = /\b(error|problem|failure|mistake)s?\b/i;

/**
 * The rules of n8n for a verified node (its UX guidelines point by point, and what its verification asks for), each
 * with what can be checked of it; null where nothing can, or where it is exempt.
 */
export const N8N_RULES: Record<string, (() => boolean | Promise<boolean>) | null> = {
	'n8n-action-texts': () =>
		operations.every(
			({ action }) => /^[A-Z][^A-Z]+$/.test(action) && !/\b(an?|the)\b/.test(action),
		),
	'n8n-ai-tool': async () =>
		(await registeredNodes()).some(({ description }) => description.usableAsTool === true),
	'n8n-ai-tool-output': () =>
		simplifying().every(({ fields }) =>
			fields.some(
				({ name, description }) =>
					name === 'selectedFields' && description?.includes('in addition to callId'),
			),
		),
	'n8n-boolean-descriptions': async () =>
		await all(({ type, description }) => type !== 'boolean' || /^Whether /.test(description ?? '')),
	'n8n-codex': async () =>
		(await registeredNodes()).every(({ description: { name } }) =>
			existsSync(
				path.join(ROOT, `nodes/VirtualPbx/${name[0]?.toUpperCase()}${name.slice(1)}.node.json`),
			),
		),
	'n8n-compatibility': null,
	'n8n-consistent-naming': null,
	'n8n-create-or-update': () => operations.some(({ name }) => name === 'Create or Update'),
	'n8n-crud': () =>
		['callflow', 'webhook'].every((name) => {
			const own = RESOURCES.find(({ value }) => value === name)?.operations ?? [];
			return ['create', 'delete', 'get', 'getMany', 'update'].every((operation) =>
				own.some(({ value }) => value === operation),
			);
		}),
	'n8n-delete-output': () =>
		operations
			.filter(({ value }) => value === 'delete')
			.every(({ output }) => output.includes('deleted')),
	'n8n-errors': null,
	'n8n-error-words': () =>
		[...read('docs/troubleshooting.md').matchAll(/^\| ([^|]+) \|/gm)].every(
			([, message = '']) => !WORDS_TO_AVOID.test(message),
		),
	'n8n-get-many': () => operations.every(({ name }) => !/^(get all|list)$/i.test(name)),
	'n8n-item-pairing': null,
	'n8n-labels-title-case': async () =>
		await all(({ type, displayName }) => type === 'notice' || !/(^| )[a-z]{5,}/.test(displayName)),
	'n8n-lint-strict': () => read('package.json').includes('"strict": true'),
	'n8n-node-version': () => 'n8n' in readManifest(),
	'n8n-oauth': null,
	'n8n-object-of-operation': null,
	'n8n-optional-fields-in-collections': null,
	'n8n-output-schemas': () =>
		existsSync(path.join(ROOT, 'nodes/VirtualPbx/__schema__/v1.0.0/cdr/getMany.json')),
	'n8n-parameter-names-in-quotes': null,
	'n8n-password-fields': async () =>
		(await registeredCredentials())
			.flatMap(({ properties }) => properties)
			.filter(({ name }) => /password|token|secret/i.test(name))
			.every(({ typeOptions }) => typeOptions?.password === true),
	'n8n-placeholders': async () =>
		await all(
			({ placeholder = '', type }) =>
				['', 'e.g. '].includes(placeholder.slice(0, 5)) || /collection/i.test(type),
		),
	'n8n-provenance': () => read('.github/workflows/publish.yml').includes('provenance'),
	'n8n-resource-locators': async () =>
		await all(
			({ type, default: value }) =>
				type !== 'resourceLocator' || (value as { mode?: string }).mode === 'list',
		),
	'n8n-return-all-and-limit': () =>
		operations
			.filter(({ value }) => value === 'getMany')
			.every(({ fields }) => fields.some(({ name }) => name === 'returnAll')),
	'n8n-scanner': null,
	'n8n-service-terminology': null,
	'n8n-simplify': () =>
		simplifying().every(({ fields }) =>
			fields.some(
				({ name, description }) =>
					name === 'simplify' &&
					description ===
						'Whether to return a simplified version of the response instead of the raw data',
			),
		),
	'n8n-simplify-ten-fields': null,
	'n8n-sorted-options': null,
	'n8n-sorting': null,
	'n8n-subtitle': async () =>
		(await registeredNodes()).every(({ description }) => description.subtitle !== undefined),
	'n8n-themed-icons': async () =>
		[
			...(await registeredNodes()).map(({ description }) => description.icon),
			...(await registeredCredentials()).map(({ icon }) => icon),
		].every((icon) => typeof icon === 'object' && 'light' in icon && 'dark' in icon),
};

function simplifying() {
	return operations.filter(({ fields }) => fields.some(({ name }) => name === 'simplify'));
}

async function all(holds: (property: INodeProperties) => boolean): Promise<boolean> {
	const nodes = await registeredNodes();
	return nodes
		.flatMap(({ description }) => allProperties(description.properties))
		.every(({ property }) => holds(property));
}
