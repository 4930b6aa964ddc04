import type { INodeParameters } from 'n8n-workflow';

import { credentialOf, operate } from '../../support/operate';
import { ACCOUNT_ID, startScriptedPbx } from '../../support/scriptedPbx';
import type { Script, ScriptedAnswer, ScriptedPbx } from '../../support/scriptedPbx';

let pbx: ScriptedPbx;
afterEach(async () => await pbx.close());

/** Runs one operation against a PBX that answers as the script says. */
async function run(name: string, parameters: INodeParameters, script: Script) {
	pbx = await startScriptedPbx((request) =>
		request.path.endsWith('user_auth') ? undefined : script(request),
	);
	return {
		...(await operate(await credentialOf(pbx), name, parameters)),
		writes: pbx.requests.filter(
			({ method, path }) => method !== 'GET' && !path.endsWith('user_auth'),
		),
	};
}
const flow = { module: 'user', data: {}, children: {} };
const json = { numbers: '555', flowSource: 'json', flow };
const pivot = { numbers: '555', flowSource: 'pivot', serviceUrl: 'http://a.example/b' };

const whole = { id: 'x', name: 'A', numbers: ['555'], patterns: [], flow };

describe('where a callflow is created (§4.2 note 2)', () => {
	const OWN = `/v1/pbx/accounts/${ACCOUNT_ID}/callflows`;
	const TABLE = '/v1/pbx/callflows';
	const OTHER = '/v1/pbx/accounts/other%201/callflows';

	/** What is asked of a PBX that answers by the path, and creates where no status is named. */
	it.each<[string, Record<string, number>, string | undefined, string[], number?]>([
		['below the account first', { [TABLE]: 500 }, undefined, [OWN]],
		['by the table after 404', { [OWN]: 404 }, undefined, [OWN, TABLE]],
		['by the table after 405', { [OWN]: 405 }, undefined, [OWN, TABLE]],
		['by the table for the own account by its ID', { [OWN]: 404 }, ACCOUNT_ID, [OWN, TABLE]],
		['below another account only', {}, 'other 1', [OTHER]],
		['below another account only, if that fails', { [OTHER]: 404 }, 'other 1', [OTHER], 404],
		['nowhere after 400', { [OWN]: 400 }, undefined, [OWN], 400],
		['nowhere after 500', { [OWN]: 500 }, undefined, [OWN], 500],
		['nowhere after 503', { [OWN]: 503 }, undefined, [OWN], 503],
		['nowhere after 404 and 405', { [OWN]: 404, [TABLE]: 405 }, undefined, [OWN, TABLE], 404],
		['nowhere after 404 and 500', { [OWN]: 404, [TABLE]: 500 }, undefined, [OWN, TABLE], 500],
	])('%s, and never twice', async (_, statuses, accountId, paths, ...[end]) => {
		const options = accountId === undefined ? {} : { accountId };
		const parameters = { ...json, options };
		const { error, items, writes } = await run(
			'callflow:create',
			parameters,
			({ method, path }) => {
				const status = statuses[path];
				if (method !== 'PUT') return undefined;
				if (status === undefined) return { status: 201, body: { data: { id: 'new', flow } } };
				return { status, body: { message: `no ${status}` } };
			},
		);
		expect(writes.map(({ path }) => path)).toEqual(paths);
		if (end === undefined) return expect(items).toMatchObject([{ id: 'new' }]);
		expect(error?.message).toMatch(/^The callflow couldn't be created: /);
		expect(error?.description).toContain(`The PBX says: "no ${end}".`);
	});

	it('says that it may have been created where the answer was lost', async () => {
		const { error, writes } = await run('callflow:create', json, ({ method }) =>
			method === 'PUT' ? { raw: (response) => response.destroy() } : undefined,
		);
		expect(writes).toHaveLength(1);
		expect(error?.description).toContain('The callflow might have been created anyway');
	});
});

describe('answers to writes, whose shape is not shown (§4.2 note 4)', () => {
	it.each<[string, ScriptedAnswer]>([
		['nothing', { raw: (response) => response.writeHead(204).end() }],
		['only an ID', { status: 201, body: { data: { id: 'x' } } }],
		['an ID outside the envelope', { status: 201, body: { id: 'x', status: 'success' } }],
		['the list form', { status: 201, body: { data: [{ id: 'x', numbers: ['555'] }] } }],
	])('reads what was created where the answer is %s', async (_, answer) => {
		const { items } = await run('callflow:create', json, ({ method, path }) => {
			if (method === 'PUT') return answer;
			return { body: { data: path.endsWith('/x') ? whole : [whole] } };
		});
		expect(items).toEqual([whole]);
	});

	it('finds a webhook in the list where the answer lacks its ID', async () => {
		const given = { name: 'W', uri: 'http://a.example' };
		const webhook = { id: 'w2', ...given, hook: 'channel_destroy', retries: 2 };
		const listed = [{ ...webhook, id: 'w1', name: 'V' }, webhook];
		const { items } = await run('webhook:create', given, ({ method, path }) =>
			method === 'PUT'
				? { status: 201, body: { status: 'success' } }
				: { body: { data: path.endsWith('/w2') ? webhook : listed } },
		);
		expect(items).toEqual([webhook]);
	});

	it('takes a creation as done even when nothing can be found afterwards', async () => {
		const { items, error } = await run('callflow:create', json, ({ method }) =>
			method === 'PUT'
				? { status: 200, body: { auth_token: 'secret', request_id: 'r' } }
				: { status: 400, body: {} },
		);
		expect(error).toBeUndefined();
		expect(items).toEqual([{ numbers: ['555'], patterns: [], fakenumber: false, flow }]);
	});
});

describe('a callflow with pivot that cannot be completed', () => {
	it.each([
		[200, 'The new callflow was removed again.'],
		[500, 'The callflow new was created'],
	])('is removed again, or named when that gets %d', async (status, words) => {
		const { error, writes } = await run('callflow:create', pivot, ({ method }) => {
			if (method === 'PUT') return { status: 201, body: { data: { id: 'new' } } };
			return method === 'POST'
				? { status: 400, body: { message: 'bad address' } }
				: { status, body: {} };
		});
		expect(error?.message).toMatch(/^Callflow new couldn't be changed: /);
		expect(error?.description).toContain('The PBX says: "bad address".');
		expect(error?.description).toContain(words);
		expect(writes.map(({ method }) => method)).toEqual(['PUT', 'POST', 'DELETE']);
	});

	it('is not taken for an older one with the number', async () => {
		const { error, writes } = await run('callflow:create', pivot, ({ method, path }) => {
			if (method === 'PUT') return { status: 201, body: {} };
			return { body: { data: path.endsWith('/x') ? whole : [whole] } };
		});
		expect(error?.message).toBe("The callflow was created, but the PBX didn't return its ID");
		expect(writes.map(({ method }) => method)).toEqual(['PUT']);
	});
});

describe('where the PBX does not say what it has, nothing is written', () => {
	const update = { callflowId: 'x', updateFields: { name: 'B' } };
	const upsert = { ...json, number: '555' };
	const twins = ['a', 'b'].map((id) => ({ id, numbers: ['555'] }));
	const noData = 'The PBX returned no data for the callflow x';
	it.each<[string, INodeParameters, object, string]>([
		['update', update, {}, noData],
		['update', update, { data: {} }, noData],
		['update', update, { data: null }, noData],
		['update', update, { data: [] }, noData],
		['upsert', upsert, { data: null }, "The PBX's response has no list"],
		['upsert', upsert, { data: {} }, "The PBX's response has no list"],
		[
			'upsert',
			upsert,
			{ status: 'error', message: 'db down', data: [] },
			"Callflows couldn't be read: the PBX couldn't process the request",
		],
		['upsert', upsert, { data: twins }, '2 callflows have the number 555'],
	])('%s of %j, answered with %j', async (operation, parameters, body, words) => {
		const { error, writes } = await run(`callflow:${operation}`, parameters, ({ method }) =>
			method === 'GET' ? { body } : undefined,
		);
		expect([error?.message, writes]).toEqual([words, []]);
	});
});
