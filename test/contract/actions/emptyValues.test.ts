import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';

import { RESOURCES } from '../../../nodes/VirtualPbx/actions';
import type { StoredCredential } from '../../support/core';
import { credentialOf, operate } from '../../support/operate';
import { useScriptedPbx } from '../../support/scriptedPbx';

const data = {
	...{ method: 'POST', req_timeout: '9', req_format: 'own' },
	voice_url: '{dflow}&callflow_id=x&webserver=a.example/b',
};
const CALLFLOW = {
	...{ id: 'x', name: 'Main', numbers: ['100'], patterns: ['^9'], fakenumber: true },
	flow: { module: 'pivot', data, children: {} },
};
const WEBHOOK = {
	...{ id: 'x', name: 'Hook', uri: 'https://a.example/b', http_verb: 'put', retries: 3 },
	...{ hook: 'channel_answer', enabled: true, custom_data: { a: '1' } },
};

const pbx = useScriptedPbx(({ path, body }) => {
	if (path.endsWith('user_auth')) return undefined;
	const kept = path.includes('webhooks') ? WEBHOOK : CALLFLOW;
	const { data } = (body ?? {}) as { data?: IDataObject };
	return { body: { data: /s$/.test(path) ? [kept] : { ...kept, ...data } } };
});
let account: StoredCredential;
beforeAll(async () => void (account = await credentialOf(pbx)));

/** What an expression gives that finds nothing, and what an agent leaves empty. */
const NOTHING = ['undefined', 'null', '""', '"  "', '[]', '{}'];

const pivot = { flowSource: 'pivot', serviceUrl: 'https://a.example/b' };

/** What an operation needs that changes something, with more that it writes as it is. */
const OPERATIONS: Record<string, INodeParameters> = {
	'callflow:update': { callflowId: 'x', ...pivot, updateFields: { patterns: '^9' } },
	'callflow:upsert': { number: '100', ...pivot },
	'webhook:update': { webhookId: 'x', updateFields: { name: 'Hook', uri: WEBHOOK.uri } },
};

type Row = [operation: string, label: string, parameters: (value: string) => INodeParameters];

/** A row for each field of an operation, those in collections included. */
function rowsOf(name: string, needed: INodeParameters): Row[] {
	const [resource, operation] = name.split(':');
	const { operations = [] } = RESOURCES.find(({ value }) => value === resource) ?? {};
	const { parameters = [] } = operations.find(({ value }) => value === operation) ?? {};
	const rows = parameters.flatMap(({ property: { name: field, displayName, type, options } }) => {
		if (type !== 'collection') {
			const more = field === 'flow' ? { flowSource: 'json' } : {};
			return [[name, displayName, (value: string) => ({ ...needed, ...more, [field]: value })]];
		}
		const others = needed[field] as INodeParameters;
		return (options as INodeProperties[]).map((inner) => [
			name,
			inner.displayName,
			(value: string) => ({ ...needed, [field]: { ...others, [inner.name]: value } }),
		]);
	});
	return rows as Row[];
}

const ROWS = Object.entries(OPERATIONS).flatMap(([name, needed]) => rowsOf(name, needed));

/** The only nothing that says something: an empty list for a list (docs/routing.md). */
const isClearing = (label: string, value: string) =>
	['Numbers', 'Patterns'].includes(label) && value === '[]';

describe.each(ROWS)(
	'%s, %s from an expression that yields nothing',
	(operation, label, parametersOf) => {
		it.each(NOTHING)('is refused by name, or leaves all as it was: %s', async (value) => {
			const { error } = await operate(account, operation, parametersOf(`={{ ${value} }}`));
			const writes = pbx.requests.filter(
				({ method, path }) => method !== 'GET' && !path.endsWith('user_auth'),
			);
			if (error) {
				expect(error.message).toContain(`'${label}`);
				expect(writes).toEqual([]);
				return;
			}
			expect(writes.map(({ method }) => method)).toEqual(['POST']);
			const { id: _, ...kept } = operation.startsWith('webhook') ? WEBHOOK : CALLFLOW;
			const list = label.toLowerCase();
			const cleared = isClearing(label, value)
				? { [list]: operation.endsWith('upsert') && list === 'numbers' ? ['100'] : [] }
				: {};
			expect(writes[0]?.body).toEqual({ data: { ...kept, ...cleared } });
		});
	},
);
