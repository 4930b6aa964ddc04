import { makeEventFlow } from '../../tools/bench/events';
import { sendLoad } from '../../tools/bench/load';
import { forgetPeak, residentMb } from '../../tools/bench/memory';
import { startN8n } from '../../tools/n8n';
import { startPbx } from '../support/e2e';

const BURST = { callers: 100, amount: 100, patience: 60 };
/** A sandbox for expressions takes about 10 MiB, and each event would have one. */
const LIMIT_MIB = 400;

/** docs/run-at-scale.md recommends the lazy setting, with which these tests run n8n. */
it('events at one moment cost no sandbox for expressions', async () => {
	const [n8n, pbx] = await Promise.all([startN8n(), startPbx()]);
	try {
		const event = await makeEventFlow(await n8n.signIn(), pbx.sandbox);
		await sendLoad(() => event(), { callers: 1, amount: 10 });
		const rest = residentMb(n8n.pid);
		forgetPeak(n8n.pid);
		const { accepted } = await sendLoad(() => event(), BURST);
		expect(accepted).toBe(BURST.amount);
		expect(residentMb(n8n.pid, 'VmHWM') - rest).toBeLessThan(LIMIT_MIB);
	} finally {
		await n8n.dispose();
		await pbx.sandbox.close();
	}
});
