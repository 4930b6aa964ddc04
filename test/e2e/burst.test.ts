import { makeEventFlow } from '../../tools/measure/bench/events';
import { sendLoad } from '../../tools/measure/bench/load';
import { forgetPeak, residentMb } from '../../tools/measure/bench/memory';
import { startPbx } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';

const BURST = { callers: 100, amount: 100, patience: 60 };
/** A sandbox for expressions takes about 10 MiB, and each event would have one. */
const LIMIT_MIB = 400;

/** docs/run-at-scale.md recommends the lazy setting, with which these tests run n8n. */
it('events at one moment cost no sandbox for expressions', async () => {
	const [{ main }, pbx] = await Promise.all([startOwnN8n(), startPbx()]);
	const event = await makeEventFlow(await main.signIn(), pbx.sandbox);
	await sendLoad(() => event(), { callers: 1, amount: 10 });
	const rest = residentMb(main.pid);
	forgetPeak(main.pid);
	const { accepted } = await sendLoad(() => event(), BURST);

	expect(accepted).toBe(BURST.amount);
	expect(residentMb(main.pid, 'VmHWM') - rest).toBeLessThan(LIMIT_MIB);
});
