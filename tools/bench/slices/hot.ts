import { isDeepStrictEqual } from 'node:util';
import { Bench } from 'tinybench';
import { readEntries } from '../../../nodes/VirtualPbx/events/body';
import { readEvent } from '../../../nodes/VirtualPbx/events/parse';
import { sampleOf } from '../../../nodes/VirtualPbx/events/samples';
import {
	findSecrets,
	MARK_NAME,
	matchesSecret,
	newSecret,
} from '../../../nodes/VirtualPbx/events/secret';
import { simplify } from '../../../nodes/VirtualPbx/events/simplify';
import { simplifyCdr } from '../../../nodes/VirtualPbx/values/cdr';
import { defaultSeed, startSandbox } from '../../../sandbox';
import { generateCdrs } from '../../../sandbox/control/generate';
import { claim, rounded } from '../measure';
import type { Effort, Measured, Slice } from '../measure';
import { readPlainly } from '../plain-event';
import { median } from '../statistics';

const GROWTH = [1, 10, 100];
const AIM = { atMost: 1 };

/** The steps that every event and every record takes, without network and without n8n. */
export const hot: Slice = {
	name: 'hot',
	title: 'Hot paths: an event, a call record',
	method:
		'One event with its secret as the PBX sends it, and one call record; rival: `JSON.parse` of the same bytes, and for the whole event code that takes nothing but this very form. Our parts get what n8n has parsed already. Microseconds per call, a median of a round each.',
	notes:
		'The aim cannot be reached: reading an event parses its text (from the raw body, whatever content type it came with), which alone is 1. The floor is code that gives the same for this one event and nothing else: one spelling of each field, one place of the secret, no check. What ours takes beyond is for events in any spelling and any form, and for refusing what is none. Per event it is a thousandth of what n8n takes to start an execution, see the events above.',
	measure,
};

async function measure(effort: Effort): Promise<Measured> {
	const { event, record, whole } = await makePaths();
	const rounds = effort === 'full' ? 9 : 1;
	const time = effort === 'full' ? 300 : 20;
	const figures = new Map<string, number[]>();
	for (let round = -1; round < rounds; round++) {
		const bench = new Bench({ time, warmupTime: time / 3 });
		for (const [name, path] of Object.entries({ ...event, ...record })) bench.add(name, path);
		await bench.warmup();
		await bench.run();
		for (const { name, result } of round < 0 ? [] : bench.tasks)
			figures.set(name, [...(figures.get(name) ?? []), median(result?.samples ?? []) * 1000]);
	}
	const of = (name: string) => figures.get(name) ?? [];
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
	];
	return { claims, growth: [growthOf(whole)] };
}

function growthOf(whole: () => unknown) {
	const points = GROWTH.map((factor) => {
		const work = factor * 1000;
		const began = performance.now();
		for (let count = 0; count < work; count++) whole();
		return { work, value: rounded(performance.now() - began) };
	});
	return { what: 'events parsed, verified and simplified', unit: 'ms', points };
}

async function makePaths() {
	const secret = newSecret();
	const { name, args } = sampleOf('ended', 63_962_000_000);
	const body = JSON.stringify({ name, args: { ...args, custom_data: { [MARK_NAME]: secret } } });
	const parsed: unknown = JSON.parse(body);
	const parse = () => {
		const read = readEntries({ raw: body, parsed });
		if ('refusal' in read) throw new Error(read.refusal.reason);
		const result = readEvent(read.entries[0]);
		if ('refusal' in result) throw new Error(result.refusal.reason);
		return result.event;
	};
	const verify = () => {
		if (!matchesSecret(findSecrets(parsed), [secret])) throw new Error('The secret is not found');
	};
	const known = parse();
	const whole = () => {
		const event = parse();
		verify();
		return simplify(event, 'ended', []);
	};
	const expected = Buffer.from(secret);
	const plain = () => readPlainly(body, expected);
	if (!isDeepStrictEqual(plain(), whole())) throw new Error('The plain code gives something else');
	const cdr = await someRecord();
	const line = JSON.stringify(cdr);
	return {
		whole,
		event: {
			'JSON.parse of the event': () => void JSON.parse(body),
			parse: () => void parse(),
			verify,
			simplify: () => void simplify(known, 'ended', []),
			'parse, verify and simplify': () => void whole(),
			'plain code': () => void plain(),
		},
		record: {
			'JSON.parse of the record': () => void JSON.parse(line),
			convert: () => void simplifyCdr(cdr),
		},
	};
}

async function someRecord() {
	const sandbox = await startSandbox({ seed: defaultSeed });
	try {
		const range = { count: 1, from: 63_962_000_000, to: 63_962_000_001 };
		const [record] = generateCdrs(sandbox.pbx.firstAccount, range);
		return { ...record };
	} finally {
		await sandbox.close();
	}
}
