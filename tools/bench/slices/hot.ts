import type { Round } from '../hot/round';
import { claim } from '../measure';
import type { Effort, Measured, Slice } from '../measure';
import { runScript } from '../script';

const AIM = { atMost: 1 };
const GROWTH = [1000, 10_000, 100_000];

/** The steps that every event and every record takes, without network and without n8n. */
export const hot: Slice = {
	name: 'hot',
	title: 'Hot paths: an event, a call record',
	method:
		'One event with its secret as the PBX sends it, and one call record; rival: `JSON.parse` of the same bytes, and for the whole event and the record code that takes nothing but this very form. Ours is bundled into one file, as it is published, and gets the body as text and as n8n has parsed it, as each delivery of JSON comes to the trigger. Microseconds per call; each round in a process of its own, the median of five turns.',
	notes:
		'Each step has the aim; the whole is all three. The floors are code that gives the same for this one event, and for this one record, and nothing else: one spelling of each field, one place of the secret, no check. What ours takes beyond is for events and records in any spelling and any form, and for refusing what is none. Per event it is a thousandth of what n8n takes to start an execution, see the events above.',
	measure,
};

async function measure(effort: Effort): Promise<Measured> {
	const full = effort === 'full';
	const rounds: Round[] = [];
	while (rounds.length < (full ? 9 : 1)) rounds.push(await runRound(full ? 60 : 10));
	const of = (name: string) => rounds.map(({ times }) => times[name] ?? NaN);
	const claims = [
		...['parse', 'verify', 'simplify', 'parse, verify and simplify'].map((name) =>
			claim(
				{ what: `event: ${name}`, against: 'JSON.parse', unit: 'µs', aim: AIM },
				of(name),
				of('JSON.parse of the event'),
			),
		),
		claim(
			{ what: 'event: parse, verify and simplify', against: 'plain code (floor)', unit: 'µs' },
			of('parse, verify and simplify'),
			of('plain code'),
		),
		claim(
			{ what: 'record: convert', against: 'JSON.parse', unit: 'µs', aim: AIM },
			of('convert'),
			of('JSON.parse of the record'),
		),
		claim(
			{ what: 'record: convert', against: 'plain code (floor)', unit: 'µs' },
			of('convert'),
			of('plain conversion'),
		),
	];
	const { points } = await runRound(1, GROWTH);
	return {
		claims,
		growth: [{ what: 'events parsed, verified and simplified', unit: 'ms', points }],
	};
}

async function runRound(time: number, growth: readonly number[] = []): Promise<Round> {
	return JSON.parse(
		await runScript('tools/bench/hot/round.ts', String(time), ...growth.map(String)),
	) as Round;
}
