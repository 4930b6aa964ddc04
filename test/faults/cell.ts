import type { NodeApiError } from 'n8n-workflow';

import { testCredential } from '../support/core';
import type { Bench, Result } from './bench';
import type { Fault } from './faults';
import type { Step } from './step';

const LOGIN = 'PUT /user_auth';
const MAX_ATTEMPTS = 4;
const ADVICE =
	/\b(check|try|run|ask|set|give|look|use|choose|find|remove|switch|add|correct|wait)\b/i;

/** One of a step's requests, named by its row in the contract. */
export interface Target {
	step: Step;
	/** For example, `GET /accounts/:account_id/webhooks`. */
	row: string;
}

/** The result of a step without faults. */
export interface Baseline {
	items: string;
	state: string;
}

/** The result of one run with a fault. */
export interface Run {
	isFine: boolean;
	/** How often the same request went to the row. A refused range of records is asked again in shorter ones. */
	requests: number;
	/** The state of the PBX afterward: unchanged, as after a success, or partial. */
	state: 'same' | 'done' | 'half';
	message: string;
	/** The matrix's rules that it broke. */
	broken: string[];
}

/** Runs a step without faults. Returns the rows it requests, and its result. */
export async function runWithoutFault(
	bench: Bench,
	step: Step,
): Promise<Baseline & { rows: string[] }> {
	await bench.clear();
	const run = await step.prepare(bench);
	bench.sandbox.pbx.requests.clear();
	const { items, error } = await run(bench);
	const rows = [...new Set(bench.sandbox.pbx.requests.list().map(({ row }) => row))];
	if (error && rows.length > 0) throw error;
	return { items: bench.plain(items), state: bench.state(), rows };
}

/** Runs a step while one of its requests fails, once or permanently. */
export async function runCell(
	bench: Bench,
	{ step, row }: Target,
	fault: Fault,
	{ times, baseline }: { times: number | undefined; baseline: Baseline },
): Promise<Run> {
	await bench.clear();
	const { pbx } = bench.sandbox;
	const run = await step.prepare(bench);
	const before = bench.state();
	const target = fault.atLogin ? LOGIN : row;
	if (fault.atLogin) pbx.tokens.expire();
	pbx.requests.clear();
	pbx.faults.add(aimAt(fault, target, times));

	const result = await run(bench);
	const sent = pbx.requests.list();
	const state = stateOf(bench.state(), before, baseline);
	const end = outcomeErrors(step, result, { state, baseline, bench });
	const asked = sent.filter((entry) => entry.row === target).map(({ path }) => path);
	const requests = Math.max(0, ...asked.map((path) => asked.filter((one) => one === path).length));
	pbx.faults.clear();
	// As a user would next: the node stops sending requests after a rejected login, and after a new token that didn't help.
	if (fault.atLogin || fault.order.status === 401) await testCredential(bench.credential);
	const left = step.recover ? await step.recover(bench, result) : [];
	const message = result.error ? errorText(result.error) : '';
	const isUndetectable = fault.otherData || fault.saysGone;
	return {
		isFine: !result.error,
		requests,
		state,
		message,
		broken: [
			...messageErrors(bench, result.error),
			...(step.isOperation ? [...repeatedTooOften(sent), ...repeatedWrites(sent)] : []),
			...(isUndetectable && !result.error ? [] : end),
			...(isUndetectable ? [] : left),
		],
	};
}

function aimAt(fault: Fault, row: string, times: number | undefined): Fault['order'] {
	const [method = '', path = ''] = row.split(' ');
	const place = { method, path: path.replace(/:\w+/g, '*') };
	return { ...fault.order, ...place, ...(times !== undefined && { times }) };
}

function stateOf(after: string, before: string, baseline: Baseline): Run['state'] {
	if (after === before) return 'same';
	return after === baseline.state ? 'done' : 'half';
}

/** An error's message and description as n8n shows them. */
function errorText(error: Error): string {
	return [error.message, (error as NodeApiError).description].filter(Boolean).join(' | ');
}

function messageErrors(bench: Bench, error: Error | undefined): string[] {
	if (!error) return [];
	const words = errorText(error);
	const all = `${words} ${JSON.stringify(error)} ${JSON.stringify((error as NodeApiError).context)}`;
	return [
		...(ADVICE.test(words) ? [] : [`gives no advice: ${words}`]),
		...(/\n\s+at |node_modules/.test(words) ? [`shows a stack trace: ${words}`] : []),
		...(bench.secrets().some((secret) => all.includes(secret)) ? ['shows a secret'] : []),
	];
}

type Sent = ReturnType<Bench['sandbox']['pbx']['requests']['list']>;

function repeatedTooOften(sent: Sent): string[] {
	const counts = new Map<string, number>();
	for (const { method, path, body } of sent) {
		const key = `${method} ${path} ${JSON.stringify(body)}`;
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	return [...counts]
		.filter(([, count]) => count > MAX_ATTEMPTS)
		.map(([key]) => `sent too often: ${key}`);
}

/** Finds repeats of writes that might have been processed. After a 400 or 401, they weren't. */
function repeatedWrites(sent: Sent): string[] {
	const seen = new Set<string>();
	const twice: string[] = [];
	for (const { method, path, body, status, row } of sent) {
		if (row === LOGIN || (method !== 'PUT' && method !== 'POST')) continue;
		const key = `${method} ${path} ${JSON.stringify(body)}`;
		if (seen.has(key)) twice.push(`sent again: ${key}`);
		if (status !== 401 && status !== 400) seen.add(key);
	}
	return twice;
}

function outcomeErrors(
	step: Step,
	{ items, error }: Result,
	{ state, baseline, bench }: { state: Run['state']; baseline: Baseline; bench: Bench },
): string[] {
	if (!error) {
		const isSame = bench.plain(items) === baseline.items;
		const isDone = bench.state() === baseline.state;
		return [
			...(isSame ? [] : [`unexpected items: ${bench.plain(items)}`]),
			...(isDone ? [] : ['no error, but no change at the PBX']),
		];
	}
	if (step.undoes && state !== 'same') return ['failed, and left changes behind'];
	const isReported = /might have been created|Remove it manually/.test(errorText(error));
	if (state === 'half' && !isReported && step.isOperation) return ['half done, without saying so'];
	return [];
}
