import { Clock } from '../engine/clock';
import { openCheckout } from '../engine/checkout';
import { Bench, costOfEvent } from './cases';
import { trace, tracing } from './trace';

/** Measures one checkout in its own process, and prints JSON: `tsx probe.ts <home> trace|cost`. */
async function main([home = '', what]: string[]): Promise<unknown> {
	if (what === 'cost') return await costOfEvent(new Bench(openCheckout(home)));
	const clock = new Clock('2026-11-20T10:00:00Z');
	const bench = new Bench(openCheckout(home, { transform: tracing(home) }));
	const measure = async (run: () => Promise<unknown>) =>
		await trace(async () => await clock.settle(run()));

	const publication = await measure(async () => await bench.publish());
	const trigger = await clock.settle(bench.publish());
	await clock.settle(trigger.receive({ raw: bench.delivery('first@10.20.0.5') }));
	let started: unknown;
	const event = await measure(async () => {
		({ started } = await trigger.receive({ raw: bench.delivery('second@10.20.0.5') }));
	});
	const update = bench.update();
	const poller = await clock.settle(bench.poller());
	await clock.pass(30 * 60_000);
	let polled: unknown;
	const all = {
		publication,
		event,
		update: await measure(async () => await update.execute([{ json: {} }])),
		poll: await measure(async () => (polled = await poller.poll('activate'))),
	};
	if (!started || !polled) throw new Error(`No result: ${JSON.stringify({ started, polled })}`);
	return all;
}

void main(process.argv.slice(2)).then((result) => console.log(JSON.stringify(result)));
