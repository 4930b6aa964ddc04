import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../tools/docs/registered';
import { startCallflowPbx } from '../support/callflowPbx';
import { filesRun } from '../support/filesRun';
import { startPbx } from '../support/sandbox';
import { TriggerBench } from '../support/trigger';

const PAGE = readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8');

/** The files that the page lists for one way: `| The way | 2 | a.ts, b/c.ts |`. */
function listed(way: string): string[] {
	const [, count, files = ''] =
		new RegExp(`^\\| ${way} +\\| (\\d+) +\\| (.*?) +\\|$`, 'm').exec(PAGE) ?? [];
	const names = files.replace(/[`\s]/g, '').split(',');
	expect(names).toHaveLength(Number(count));
	return names.sort();
}

/** Where the way of every request goes on, which the page lists once. */
const isRequest = (file: string) =>
	/^(auth|transport)\//.test(file) && !/\/(pbx|documents|changes)\.ts$/.test(file);

const isConversion = (file: string) => file.startsWith('values/');

const withoutRequest = (files: string[]) =>
	files.filter((file) => !isRequest(file) && !isConversion(file));

/** docs/architecture.md lists who does something for what users do most. */
describe('the ways through the house', () => {
	it('are as listed for an event', async () => {
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

		expect(withoutRequest(files)).toEqual(listed('An event'));
	});

	it('are as listed for connecting a callflow', async () => {
		const pbx = await startCallflowPbx();
		const trigger = await pbx.makeTrigger();
		const files = await filesRun(async () => await trigger.activate());
		await trigger.close();
		await pbx.close();

		expect(withoutRequest(files)).toEqual(listed('Connecting a callflow'));
	});

	it('are as listed for Callflow → Update, and for its requests', async () => {
		const pbx = await startPbx();
		const flow = { module: 'user', data: { id: 'u1' }, children: {} };
		const { data } = await pbx.ask('PUT', 'callflows', { flow, name: 'A', numbers: ['555'] });
		const update = { callflowId: String(data.id), updateFields: { name: 'B' } };
		await pbx.items('callflow:update', update);
		const files = await filesRun(async () => await pbx.items('callflow:update', update));
		await pbx.sandbox.close();

		expect(withoutRequest(files)).toEqual(listed('Callflow → Update'));
		expect(files.filter(isRequest)).toEqual(listed('A request'));
	});
});
