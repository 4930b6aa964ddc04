import { makeEventFlow, resetPeak, residentMb, sendLoad } from '../../tools/bench/load';
import { startPbx } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';

const BURST = { callers: 100, amount: 100 };
/** An expression sandbox takes about 10 MiB, and each event would create one. */
const LIMIT_MIB = 400;

/** The tests run n8n with the lazy setting that docs/run-at-scale.md recommends. */
it('simultaneous events create no expression sandboxes', async () => {
	const [{ main }, pbx] = await Promise.all([startOwnN8n(), startPbx()]);
	const event = await makeEventFlow(await main.signIn(), pbx.sandbox);
	await sendLoad(() => event(), { callers: 1, amount: 10 });
	const rest = residentMb(main.pid);
	resetPeak(main.pid);
	const { accepted } = await sendLoad(() => event(), BURST);

	expect(accepted).toBe(BURST.amount);
	expect(residentMb(main.pid, 'VmHWM') - rest).toBeLessThan(LIMIT_MIB);
});
