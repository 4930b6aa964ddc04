import { ExecuteContext } from 'n8n-core';
import { TestCredentialsHelper } from '../../support/core/credentials';
import { runNode } from '../../support/core';
import type { StoredCredential } from '../../support/core';
import { credentialOf } from '../../support/operate';
import { useScriptedPbx } from '../../support/scriptedPbx';
import type { SeenRequest } from '../../support/scriptedPbx';

let credential: StoredCredential;
let running = 0;
let mostAtOnce = 0;
/** What a test does when the PBX gets a request. */
let onRequest: (request: SeenRequest) => void;

/** Callflow `n` exists unless n ends with 3; every answer takes 15 ms. */
function answer(request: SeenRequest) {
	const { path } = request;
	if (path.endsWith('/user_auth')) return undefined;
	onRequest(request);
	running += 1;
	mostAtOnce = Math.max(mostAtOnce, running);
	setTimeout(() => (running -= 1), 14);
	const id = path.split('/').at(-1);
	const known = { body: { data: { id, name: `Callflow ${id}`, numbers: [], flow: {} } } };
	const unknown = { status: 404, body: { message: 'bad identifier' } };
	return { ...(id?.endsWith('3') ? unknown : known), delayMs: 15 };
}

const pbx = useScriptedPbx(answer);
beforeEach(async () => {
	onRequest = () => undefined;
	running = 0;
	mostAtOnce = 0;
	credential = await credentialOf(pbx);
});

const get = { resource: 'callflow', operation: 'get', callflowId: '={{ $json.id }}' };
const remove = { ...get, operation: 'delete' };
/** Runs an operation for so many items, whose IDs begin with c and their number. */
const run = async (parameters: typeof get, count: number, more: object = {}, end = '') => {
	const items = Array.from({ length: count }, (_, index) => ({ id: `c${index}${end}` }));
	return await runNode({ type: 'virtualPbx', credential, parameters, items, ...more });
};
const idsOf = (count: number) => Array.from({ length: count }, (_, item) => `c${item}x`);
const goesOn = { onError: 'continueRegularOutput' };

describe('the loop over items', () => {
	it('decrypts the credential once and logs in once, whatever the number of items', async () => {
		const decrypt = jest.spyOn(TestCredentialsHelper.prototype, 'getDecrypted');
		await run(get, 3);
		await run(remove, 3);
		const { output } = await run(get, 60, {}, 'x');

		expect(output[0]).toHaveLength(60);
		expect(decrypt).toHaveBeenCalledTimes(3);
		expect(pbx.seen('PUT', '/user_auth')).toHaveLength(1);
		decrypt.mockRestore();
	});

	it('reads up to 20 at once, keeps their order and pairs them', async () => {
		const { output } = await run(get, 60, {}, 'x');
		expect(mostAtOnce).toBeGreaterThan(5);
		expect(mostAtOnce).toBeLessThanOrEqual(20);
		expect(output[0]?.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual(
			idsOf(60).map((id, item) => [id, { item }]),
		);
	});

	it('writes one after another, in order', async () => {
		await run(remove, 12, {}, 'x');
		expect(mostAtOnce).toBe(1);
		expect(pbx.seen('DELETE', 'x').map(({ path }) => path.split('/').at(-1))).toEqual(idsOf(12));
	});

	it('names the item that failed and writes nothing after it', async () => {
		const { error } = await run(remove, 6);
		expect(error).toMatchObject({
			message: "Callflow c3 wasn't found",
			context: { itemIndex: 3 },
		});
		expect(pbx.seen('DELETE', 'c4')).toEqual([]);
	});

	it('goes on with the error in the place of the item, on wish', async () => {
		const { output, error } = await run(get, 5, goesOn);
		expect(error).toBeUndefined();
		const details = expect.stringContaining('GET /callflows/c3');
		expect(output[0]?.slice(3)).toMatchObject([
			{ json: { error: "Callflow c3 wasn't found", details }, pairedItem: { item: 3 } },
			{ json: { id: 'c4' } },
		]);
	});
});

describe('an execution that a person stops', () => {
	let stop: AbortController;
	beforeEach(() => {
		stop = new AbortController();
		const signal = jest.spyOn(ExecuteContext.prototype, 'getExecutionCancelSignal');
		signal.mockImplementation(() => stop.signal);
	});
	afterEach(() => void jest.restoreAllMocks());

	it('starts nothing more, also where it should go on after errors', async () => {
		onRequest = ({ path }) => path.endsWith('/c2x') && stop.abort();
		const { error } = await run(remove, 20, goesOn, 'x');
		expect(error?.message).toBe('The execution was canceled');
		expect(pbx.seen('DELETE', 'x')).toHaveLength(3);
	});

	it('still removes a callflow that it leaves half done', async () => {
		onRequest = ({ method }) => method === 'POST' && stop.abort();
		const pivot = { flowSource: 'pivot', serviceUrl: 'http://a.example/b', numbers: '1' };
		const { error } = await run({ ...get, operation: 'create', ...pivot }, 1);
		expect(error?.message).toBe('The execution was canceled');
		const ofCallflows = pbx.requests.filter(({ path }) => path.includes('/callflows'));
		expect(ofCallflows.map(({ method }) => method)).toEqual(['PUT', 'POST', 'DELETE']);
	});
});
