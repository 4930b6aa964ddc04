import type { NodeApiError } from 'n8n-workflow';

import { testCredential } from '../support/core';
import type { Bench, Result } from './bench';
import type { Fault } from './faults';
import type { Step } from './step';

const LOGIN = 'PUT /user_auth';
const MOST_TRIES = 4;
const ADVICE =
	/\b(check|try|run|ask|set|give|look|use|choose|find|remove|switch|add|correct|wait)\b/i;

/** A request that a step sends, as the row of the interface that it goes to. */
export interface Target {
	step: Step;
	/** Such as `GET /accounts/:account_id/webhooks`. */
	row: string;
}

/** What a step does when nothing goes wrong. */
export interface Usual {
	items: string;
	state: string;
}

/** One run with a fault. */
export interface Run {
	isFine: boolean;
	/** How often the row was asked. */
	requests: number;
	/** What the PBX keeps afterwards: as before, as after a success, or something else. */
	state: 'same' | 'done' | 'half';
	message: string;
	/** What breaks a rule of the matrix. */
	broken: string[];
}

/** Runs a step once without any fault; gives the rows that it asks, and how it ends. */
export async function runUsually(bench: Bench, step: Step): Promise<Usual & { rows: string[] }> {
	await bench.clear();
	const run = await step.prepare(bench);
	bench.sandbox.pbx.requests.clear();
	const { items, error } = await run(bench);
	const rows = [...new Set(bench.sandbox.pbx.requests.list().map(({ row }) => row))];
	if (error && rows.length > 0) throw error;
	return { items: bench.plain(items), state: bench.state(), rows };
}

/** Runs a step while a fault strikes one of its requests, once or for good. */
export async function runCell(
	bench: Bench,
	{ step, row }: Target,
	fault: Fault,
	{ times, usual }: { times: number | undefined; usual: Usual },
): Promise<Run> {
	await bench.clear();
	const { pbx } = bench.sandbox;
	const run = await step.prepare(bench);
	const before = bench.state();
	const struck = fault.atLogin ? LOGIN : row;
	if (fault.atLogin) pbx.tokens.expire();
	pbx.requests.clear();
	pbx.faults.add(orderAt(fault, struck, times));

	const result = await run(bench);
	const sent = pbx.requests.list();
	const state = stateOf(bench.state(), before, usual);
	const end = wrongEnd(step, result, { state, usual, bench });
	const requests = sent.filter((entry) => entry.row === struck).length;
	pbx.faults.clear();
	// As a person does who has read the message: n8n waits after a refused login, and after a new token that did not help.
	if (fault.atLogin || fault.order.kind === 'expire-token') await testCredential(bench.credential);
	const left = step.recover ? await step.recover(bench, result) : [];
	const message = result.error ? wordsOf(result.error) : '';
	const isOutOfSight = fault.otherData || fault.saysGone;
	return {
		isFine: !result.error,
		requests,
		state,
		message,
		broken: [
			...wrongWords(bench, result.error),
			...(step.isOperation ? [...tooOften(sent), ...repeatedWrites(sent)] : []),
			...(isOutOfSight && !result.error ? [] : end),
			...(isOutOfSight ? [] : left),
		],
	};
}

function orderAt(fault: Fault, row: string, times: number | undefined): Fault['order'] {
	const [method = '', path = ''] = row.split(' ');
	const place = { method, path: path.replace(/:\w+/g, '*') };
	return { ...fault.order, ...place, ...(times !== undefined && { times }) };
}

function stateOf(after: string, before: string, usual: Usual): Run['state'] {
	if (after === before) return 'same';
	return after === usual.state ? 'done' : 'half';
}

/** An error's message and description as n8n shows them. */
function wordsOf(error: Error): string {
	return [error.message, (error as NodeApiError).description].filter(Boolean).join(' | ');
}

function wrongWords(bench: Bench, error: Error | undefined): string[] {
	if (!error) return [];
	const words = wordsOf(error);
	const all = `${words} ${JSON.stringify(error)} ${JSON.stringify((error as NodeApiError).context)}`;
	return [
		...(ADVICE.test(words) ? [] : [`says not what to do: ${words}`]),
		...(/\n\s+at |node_modules/.test(words) ? [`shows a stack: ${words}`] : []),
		...(bench.secrets().some((secret) => all.includes(secret)) ? ['shows a secret'] : []),
	];
}

type Sent = ReturnType<Bench['sandbox']['pbx']['requests']['list']>;

function tooOften(sent: Sent): string[] {
	const counts = new Map<string, number>();
	for (const { method, path, body } of sent) {
		const key = `${method} ${path} ${JSON.stringify(body)}`;
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	return [...counts].filter(([, count]) => count > MOST_TRIES).map(([key]) => `too often: ${key}`);
}

/** A write that may have arrived is not sent again; after a 400 or 401 it surely was not acted on. */
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

function wrongEnd(
	step: Step,
	{ items, error }: Result,
	{ state, usual, bench }: { state: Run['state']; usual: Usual; bench: Bench },
): string[] {
	if (!error) {
		const isSame = bench.plain(items) === usual.items;
		const isDone = bench.state() === usual.state;
		return [
			...(isSame ? [] : [`other items than usual: ${bench.plain(items)}`]),
			...(isDone ? [] : ['no error, but not done']),
		];
	}
	if (step.undoes && state !== 'same') return ['failed, and left something behind'];
	const isTold = /might have been created|Remove it manually/.test(wordsOf(error));
	if (state === 'half' && !isTold && step.isOperation) return ['left half done without a word'];
	return [];
}
