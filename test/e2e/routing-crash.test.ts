import type { IDataObject } from 'n8n-workflow';
import { N8nClient, OWNER } from '../../tools/n8n';
import type { Credential, N8nProcess } from '../../tools/n8n';
import { eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import type { OwnN8n } from '../support/e2e/own';
import { ask, callflowNamed, makeFlow, routing, routingTrigger } from '../support/routing';

const RIGHT = { operations: [{ type: 'extension', extension: '100' }] };

/** An n8n of its own, since it is stopped and killed. */
describe('a self-connected callflow, whatever happens to n8n and the PBX', () => {
	let own: OwnN8n;
	let process: N8nProcess;
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: Credential;
	let before: IDataObject & { id: string };

	beforeAll(async () => {
		pbx = await startPbx();
		own = await startOwnN8n();
		process = own.main;
		n8n = await N8nClient.signIn(own.url, OWNER);
		credential = await n8n.createCredential('virtualPbxApi', 'Crash PBX', pbx.account);
		before = await callflowNamed(pbx, 'Main number');
	});
	afterAll(async () => {
		await own.dispose();
		await pbx.sandbox.close();
	});

	const now = async () => await callflowNamed(pbx, 'Main number');
	const fault = async (order: object) => {
		await fetch(`${pbx.client.url}/sandbox/faults`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(order),
		});
	};
	const healPbx = async () => {
		await fetch(`${pbx.client.url}/sandbox/faults`, { method: 'DELETE' });
	};
	const make = async () => {
		const callflowId = { __rl: true, mode: 'id', value: before.id };
		return await makeFlow(n8n, [
			routingTrigger({ connect: 'callflow', callflowId }, credential),
			routing('buildAnswer', RIGHT.operations),
		]);
	};
	const again = async (how: 'stop' | 'kill') => {
		await process.restart(how);
		n8n = await N8nClient.signIn(own.url, OWNER);
	};

	it('answers and undoes after a restart, and after kill -9 with the PBX down at the start', async () => {
		const flow = await make();
		await n8n.activate(flow.id);
		const connected = await now();
		expect(connected).toMatchObject({
			...before,
			flow: { module: 'pivot', children: { _: before.flow } },
		});
		expect((await ask(flow.url)).body).toEqual(RIGHT);

		await again('stop');
		expect(await now()).toEqual(connected);

		await fault({ kind: 'status', status: 503, path: '/accounts/*' });
		await again('kill');
		await healPbx();
		await eventually(async () => expect((await ask(flow.url)).body).toEqual(RIGHT));

		await n8n.deactivate(flow.id);
		expect(await now()).toEqual(before);
	});

	it('undoes what a kill -9 between the change and its saving left behind', async () => {
		const flow = await make();
		await fault({
			kind: 'latency',
			seconds: 3,
			method: 'GET',
			path: '/accounts/*/callflows/*',
			skip: 2,
			times: 1,
		});
		const changes = () =>
			pbx.sandbox.pbx.requests.list().filter(({ method }) => method === 'POST').length;
		const earlier = changes();
		const activation = n8n.activate(flow.id).catch((error: unknown) => error);
		await eventually(async () => expect(changes()).toBe(earlier + 1));
		await process.kill();
		await activation;
		await healPbx();
		expect(await now()).toMatchObject({ flow: { module: 'pivot', children: { _: before.flow } } });

		await process.start();
		n8n = await N8nClient.signIn(own.url, OWNER);
		await n8n.activate(flow.id);
		expect((await ask(flow.url)).body).toEqual(RIGHT);
		await n8n.deactivate(flow.id);
		expect(await now()).toEqual(before);
	});

	it('changes nothing when the PBX fails during the activation', async () => {
		const flow = await make();
		await fault({ kind: 'status', status: 500, method: 'POST', path: '/accounts/*/callflows/*' });
		await expect(n8n.activate(flow.id)).rejects.toThrow();
		await healPbx();
		expect(await now()).toEqual(before);
	});

	it('undoes with the next deactivation what the PBX refused to undo', async () => {
		const flow = await make();
		await n8n.activate(flow.id);
		await fault({ kind: 'status', status: 500, method: 'POST', path: '/accounts/*/callflows/*' });
		await n8n.deactivate(flow.id);
		await healPbx();
		expect(await now()).not.toEqual(before);
		await n8n.activate(flow.id);
		await n8n.deactivate(flow.id);
		expect(await now()).toEqual(before);
	});

	it('leaves alone what someone else has set', async () => {
		const flow = await make();
		await n8n.activate(flow.id);
		const other = { module: 'play', data: { filename: 'welcome.wav' }, children: {} };
		const { id, featurecode: _, ...rest } = await now();
		await pbx.client.pbx('POST', `callflows/${id}`, { ...rest, flow: other });
		await n8n.deactivate(flow.id);
		expect((await now()).flow).toMatchObject(other);
		await pbx.client.pbx('POST', `callflows/${id}`, { ...rest, flow: before.flow });
	});
});
