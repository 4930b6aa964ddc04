import { startCallflowPbx } from '../support/callflowPbx';
import { filesRun } from '../support/filesRun';
import { startPbx } from '../support/sandbox';
import { TriggerBench } from '../support/trigger';

/** Where the way of every request goes on. */
const isRequest = (file: string) =>
	/^(auth|transport)\//.test(file) && !/\/(pbx|documents)\.ts$/.test(file);

const isConversion = (file: string) => file.startsWith('values/');

const withoutRequest = (files: string[]) =>
	files.filter((file) => !isRequest(file) && !isConversion(file));

const expectAtMost = (limit: number, files: string[]) => {
	if (files.length > limit) throw new Error(`${files.length} files: ${files.join(', ')}`);
};

/** In how many files something runs for what users do most: what a reader has to open. */
describe('the ways through the house', () => {
	it('are short for an event', async () => {
		const bench = await TriggerBench.start();
		const trigger = await bench.trigger({ events: ['ended'] });
		await trigger.activate();
		const call = async () => await bench.sandbox.call({ from: '74951234567', to: '74950000100' });
		await call();
		// Of several calls, since a check of the webhooks may fall into one.
		const runs = [await filesRun(call), await filesRun(call), await filesRun(call)];
		const files = (runs[0] ?? []).filter((file) => runs.every((run) => run.includes(file)));
		await bench.clear();
		await bench.close();

		expectAtMost(23, withoutRequest(files));
	});

	it('are short for connecting a callflow', async () => {
		const pbx = await startCallflowPbx();
		const trigger = await pbx.makeTrigger();
		const files = await filesRun(async () => await trigger.activate());
		await trigger.close();
		await pbx.close();

		expectAtMost(19, withoutRequest(files));
	});

	it('are short for Callflow → Update, and for its requests', async () => {
		const pbx = await startPbx();
		const flow = { module: 'user', data: { id: 'u1' }, children: {} };
		const { data } = await pbx.ask('PUT', 'callflows', { flow, name: 'A', numbers: ['555'] });
		const update = { callflowId: String(data.id), updateFields: { name: 'B' } };
		await pbx.items('callflow:update', update);
		const files = await filesRun(async () => await pbx.items('callflow:update', update));
		await pbx.sandbox.close();

		expectAtMost(14, withoutRequest(files));
		expectAtMost(8, files.filter(isRequest));
	});
});
