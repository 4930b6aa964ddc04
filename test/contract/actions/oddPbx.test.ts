import type { INodeParameters } from 'n8n-workflow';

import { credentialOf, operate } from '../../support/operate';
import { ACCOUNT_ID, startScriptedPbx } from '../../support/scriptedPbx';
import type { Script, ScriptedPbx } from '../../support/scriptedPbx';

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

describe('where a callflow is created (§4.2 note 2)', () => {
	const OWN = `/v1/pbx/accounts/${ACCOUNT_ID}/callflows`;
	const TABLE = '/v1/pbx/callflows';
	/** Creates a callflow at a PBX that answers by the path: what isn't listed creates. */
	const create = async (statuses: Record<string, number>, accountId?: string) => {
		const options = accountId === undefined ? {} : { accountId };
		return await run('callflow:create', { ...json, options }, ({ method, path }) => {
			if (method !== 'PUT') return undefined;
			const status = statuses[path];
			return status === undefined
				? { status: 201, body: { data: { id: 'new', flow } } }
				: { status, body: { message: `no ${status}` } };
		});
	};

	it.each<[string, Record<string, number>, string | undefined, string[]]>([
		['below the account first', { [TABLE]: 500 }, undefined, [OWN]],
		['by the table after 404', { [OWN]: 404 }, undefined, [OWN, TABLE]],
		['by the table after 405', { [OWN]: 405 }, undefined, [OWN, TABLE]],
		['by the table for the own account by its ID', { [OWN]: 404 }, ACCOUNT_ID, [OWN, TABLE]],
		['below another account only', {}, 'other 1', ['/v1/pbx/accounts/other%201/callflows']],
	])('creates %s', async (_, statuses, accountId, paths) => {
		const { items, writes } = await create(statuses, accountId);

		expect(items).toEqual([expect.objectContaining({ id: 'new' })]);
		expect(writes.map(({ path }) => path)).toEqual(paths);
	});

	const OTHER = '/v1/pbx/accounts/other/callflows';
	it.each<[number, Record<string, number>, string | undefined, string[]]>([
		[400, { [OWN]: 400 }, undefined, [OWN]],
		[500, { [OWN]: 500 }, undefined, [OWN]],
		[503, { [OWN]: 503 }, undefined, [OWN]],
		[404, { [OWN]: 404, [TABLE]: 405 }, undefined, [OWN, TABLE]],
		[404, { [OTHER]: 404 }, 'other', [OTHER]],
		[500, { [OWN]: 404, [TABLE]: 500 }, undefined, [OWN, TABLE]],
	])('ends with %i of %j, and never creates twice', async (status, statuses, accountId, paths) => {
		const { error, writes } = await create(statuses, accountId);

		expect(error?.message).toMatch(/^The callflow couldn't be created: /);
		expect(error?.description).toContain(`The PBX says: "no ${status}".`);
		expect(writes.map(({ path }) => path)).toEqual(paths);
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
	const whole = { id: 'x', name: 'A', numbers: ['555'], patterns: [], flow };

	it.each([
		['nothing', undefined],
		['only an ID', { data: { id: 'x' } }],
		['an ID outside the envelope', { id: 'x', status: 'success' }],
		['the list form', { data: [{ id: 'x', numbers: ['555'] }] }],
	])('reads what was created where the answer is %s', async (_, body) => {
		const { items } = await run('callflow:create', json, ({ method, path }) => {
			if (method === 'PUT')
				return body === undefined
					? { status: 204, raw: (response) => response.writeHead(204).end() }
					: { status: 201, body };
			return { body: path.endsWith('/x') ? { data: whole } : { data: [whole] } };
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
	const failing =
		(remove: number): Script =>
		({ method }) => {
			if (method === 'PUT') return { status: 201, body: { data: { id: 'new' } } };
			if (method === 'POST') return { status: 400, body: { message: 'bad address' } };
			return { status: remove, body: {} };
		};

	it('is removed again, and the error says so', async () => {
		const { error, writes } = await run('callflow:create', pivot, failing(200));

		expect(error?.message).toMatch(/^Callflow new couldn't be changed: /);
		expect(error?.description).toContain('The PBX says: "bad address".');
		expect(error?.description).toContain('The new callflow was removed again.');
		expect(writes.map(({ method }) => method)).toEqual(['PUT', 'POST', 'DELETE']);
	});

	it('is named when it cannot be removed', async () => {
		const { error } = await run('callflow:create', pivot, failing(500));

		expect(error?.description).toContain('The callflow new was created');
	});

	it('is not taken for an older one with the number', async () => {
		const older = { id: 'older', numbers: ['555'], flow };
		const { error, writes } = await run('callflow:create', pivot, ({ method, path }) => {
			if (method === 'PUT') return { status: 201, body: {} };
			return { body: { data: path.endsWith('/older') ? older : [older] } };
		});

		expect(error?.message).toBe("The callflow was created, but the PBX didn't return its ID");
		expect(writes.map(({ method }) => method)).toEqual(['PUT']);
	});
});

it.each([{}, { data: {} }, { data: null }, { data: [] }])(
	'an update writes nothing when it could not read: %j',
	async (body) => {
		const update = { callflowId: 'x', updateFields: { name: 'B' } };
		const { error, writes } = await run('callflow:update', update, ({ method }) =>
			method === 'GET' ? { body } : undefined,
		);

		expect(error?.message).toBe('The PBX returned no data for the callflow x');
		expect(writes).toEqual([]);
	},
);

describe('a list of one number', () => {
	const upsert = async (body: object) =>
		await run('callflow:upsert', { ...json, number: '555' }, ({ path }) =>
			path.endsWith('/callflows') ? { body } : undefined,
		);

	it.each([{ data: null }, { data: {} }, { status: 'error', message: 'db down', data: [] }])(
		'that is missing leads to no second callflow: %j',
		async (body) => {
			const { error, writes } = await upsert(body);

			expect(error?.message).toMatch(/has no list|the PBX couldn't process the request/);
			expect(writes).toEqual([]);
		},
		20_000,
	);

	it('leads to no second callflow', async () => {
		const data = ['a', 'b'].map((id) => ({ id, numbers: ['555'] }));
		const { error, writes } = await upsert({ data });

		expect(error?.message).toBe('2 callflows have the number 555');
		expect(writes).toEqual([]);
	});
});
