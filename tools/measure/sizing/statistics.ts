import { startSandbox } from '../../../sandbox';
import { inventCalls } from '../../../test/support/history/calls';
import { recordCalls } from '../../../test/support/history/records';
import { withCleanups } from '../../cleanups';
import { startN8n } from '../../n8n';
import { activate, countNode, createCredential, ourNode, UNSAVED, webhook } from '../bench/flow';
import { COLLECTING, spentBy } from '../bench/memory';
import { figure } from '../publish';

const CALLS = 200_000;
const DAYS = 365;
const RUNS = 3;
const HEAD = ['Calls', 'Days', 'Time (s)', 'Memory above rest (MiB)'];

/** Measures Get Statistics over a year, after a short warm-up run. Linux only. Returns a table. */
export async function measureStatistics(): Promise<string[][]> {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const now = Math.floor(Date.now() / 1000);
		const span = { from: now - (DAYS - 1) * 86_400, to: now - 3 * 3600, edges: [now - 86_400] };
		recordCalls({ sandbox }, inventCalls(CALLS, span, 1));
		const n8n = await startN8n({ env: COLLECTING });
		later(async () => await n8n.dispose());
		const client = await n8n.signIn();
		const credential = await createCredential(client, sandbox.url);
		const after = '={{ $now.minus({ days: Number($json.query.days) }).toISO() }}';
		const period = { period: 'range', after, before: '={{ $now.toISO() }}' };
		const operation = { resource: 'call', operation: 'getStatistics', ...period };
		const url = await activate(
			client,
			[
				webhook('lastNode'),
				ourNode({ ...operation, groupBy: ['weekday', 'hour'] }, credential),
				{
					...countNode("={{ $('Get').all().reduce((sum, { json }) => sum + json.calls, 0) }}"),
					executeOnce: true,
				},
			],
			UNSAVED,
		);
		await fetch(`${url}?days=1`);
		const rows = [HEAD];
		while (rows.length <= RUNS) {
			const { ms, peakMb } = await spentBy(n8n, `${url}?days=${DAYS}`, CALLS);
			rows.push([figure(CALLS), String(DAYS), figure(ms / 1000), figure(peakMb)]);
			console.log(rows.at(-1)?.join(' | '));
		}
		return rows;
	});
}
