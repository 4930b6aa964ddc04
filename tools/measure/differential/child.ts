import { readFileSync } from 'node:fs';
import type { INodeTypeDescription } from 'n8n-workflow';
import { openCheckout } from '../engine/checkout';
import { Clock } from '../engine/clock';
import { replaceNetwork } from '../engine/network';
import { ScriptedPbx } from '../engine/pbx';
import { deliver } from './deliveries';
import { chooseFromList, logIn, operate } from './operations';
import { poll } from './polls';
import { publish } from './publications';
import { Random } from './random';
import { route } from './routing';
import { World } from './world';
import type { Step } from './world';

const START = '2026-11-20T10:00:00Z';

/** The kinds of scenarios, and how many of each produce 50,000 inputs in total. */
const KINDS: Record<string, [scenario: (world: World) => Promise<void>, count: number]> = {
	operations: [operate, 16_000],
	logins: [logIn, 700],
	lists: [chooseFromList, 500],
	deliveries: [deliver, 650],
	polls: [poll, 130],
	publications: [publish, 250],
	routing: [route, 150],
};

/** The parent's request. */
export interface Order {
	home: string;
	isBuilt: boolean;
	/** A JSON file of the descriptions that parameters are generated from, so that both sides get the same ones. */
	descriptions?: string;
	seed: number;
	/** A factor for the number of scenarios. */
	scale: number;
	/** Runs only this kind, and only this scenario of it. */
	kind?: string | undefined;
	scenario?: number | undefined;
}

/** Runs all scenarios on one checkout, and prints a line of JSON for each input. */
async function main(order: Order): Promise<void> {
	const clock = new Clock(START);
	const checkout = openCheckout(order.home, order);
	const own = Object.fromEntries(
		Object.entries(checkout.nodes).map(([name, node]) => [name, node.description]),
	);
	if (order.descriptions === undefined) return print(own);
	const pbx = new ScriptedPbx();
	replaceNetwork(checkout.axios, (request) => pbx.respond(request));
	const descriptions = JSON.parse(readFileSync(order.descriptions, 'utf8')) as Record<
		string,
		INodeTypeDescription
	>;
	for (const [name, outcome] of Object.entries({ ...own, credential: checkout.credential }))
		emit({ kind: 'descriptions', scenario: 0, what: name, outcome });
	for (const [kind, [run, count]] of Object.entries(KINDS)) {
		if (order.kind !== undefined && order.kind !== kind) continue;
		const total = Math.ceil(count * order.scale);
		for (let scenario = 0; scenario < total; scenario++) {
			if (order.scenario !== undefined && order.scenario !== scenario) continue;
			const seed = hash(`${order.seed} ${kind} ${scenario}`);
			clock.reset(Date.parse(START) + scenario * 60_000, seed);
			pbx.reset();
			await run(
				new World({
					checkout,
					clock,
					pbx,
					descriptions,
					random: new Random(seed),
					kind,
					scenario,
					emit,
				}),
			);
		}
	}
}

function hash(text: string): number {
	return (
		[...text].reduce(
			(sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 16_777_619),
			2_166_136_261,
		) >>> 0
	);
}

function print(value: unknown): void {
	process.stdout.write(`${JSON.stringify(value, readable)}\n`);
}

function emit(step: Step): void {
	print(step);
}

/** Reduces a value to what users and workflows see: an error to its visible parts, and a function to a placeholder. */
function readable(name: string, value: unknown): unknown {
	if (typeof value === 'function') return '(function)';
	if (typeof value === 'bigint') return String(value);
	// The fake clock's fractions of a millisecond aren't always rounded the same way.
	if (name === 'error' && typeof value === 'object' && value !== null && 'timestamp' in value)
		return { ...value, timestamp: undefined };
	if (!(value instanceof Error)) return value;
	const { message, description, httpCode, context, messages, level } = value as unknown as Record<
		string,
		unknown
	>;
	return { name: value.name, message, description, httpCode, context, messages, level };
}

const [order] = process.argv.slice(2);
if (order !== undefined)
	void main(JSON.parse(order) as Order).then(
		// Exits, since something might still be waiting, but only after the output is flushed.
		() => process.stdout.write('', () => process.exit(0)),
		(error: unknown) => {
			console.error(error);
			process.exit(1);
		},
	);
