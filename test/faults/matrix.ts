import type { NodeApiError } from 'n8n-workflow';

import { testCredential } from '../support/core';
import { Bench } from './bench';
import type { Result, Step } from './bench';
import { FAULTS } from './faults';
import type { Fault } from './faults';
import { operationSteps } from './operations';
import { triggerSteps } from './triggers';

const LOGIN = 'PUT /user_auth';
const ADVICE =
	/\b(check|try|run|ask|set|give|look|use|choose|find|remove|switch|add|correct|wait)\b/i;

/** A fault in one of a step's requests, which is named by its row in the contract, once or permanently. */
interface Cell {
	/** For example, `GET /accounts/:account_id/webhooks`. */
	row: string;
	fault: Fault;
	isOnce: boolean;
}

/** The result of a step without faults. */
interface Baseline {
	items: string;
	state: string;
	rows: string[];
}

const STEPS: readonly Step[] = [...operationSteps, ...triggerSteps];
export const SECTIONS: readonly string[] = [...new Set(STEPS.map(({ section }) => section))];

/** Low enough that no request times out while waiting for other cells. */
const BENCHES = 12;

/**
 * Runs all steps with faults in their requests, in parallel. Returns what broke the rules, a line each, by section.
 *
 * @param isWhole whether to run every fault at each request, once and permanently. Otherwise, each step runs with half of
 *   the faults at one of its requests each, alternating between once and permanently
 */
export async function runMatrix(isWhole: boolean): Promise<Map<string, string[]>> {
	const benches = await Promise.all(Array.from({ length: BENCHES }, Bench.start));
	const onBenches = async <T>(jobs: Array<(bench: Bench) => Promise<T>>): Promise<T[]> => {
		const results: T[] = [];
		const work = async (bench: Bench) => {
			for (let job = jobs.shift(); job; job = jobs.shift()) results.push(await job(bench));
		};
		await Promise.all(benches.map(work));
		return results;
	};
	const complaints = new Map<string, string[]>(SECTIONS.map((section) => [section, []]));
	const baselines = await onBenches(
		STEPS.map((step) => async (bench) => [step, await runWithoutFault(bench, step)] as const),
	);
	const cells = baselines.flatMap(([step, baseline]) =>
		cellsOf(step, baseline.rows, isWhole).map((cell) => async (bench: Bench) => {
			const place = `${step.name} ${cell.row}, ${cell.fault.name} ${cell.isOnce ? 'once' : 'always'}`;
			const found = await runCell(bench, step, cell, baseline);
			complaints.get(step.section)?.push(...found.map((words) => `${place}: ${words}`));
		}),
	);
	await onBenches(cells);
	await Promise.all(benches.map(async (bench) => await bench.close()));
	return complaints;
}

/** Returns a step's cells: all of them, or half of the faults at one request each, rotating through its requests. */
function cellsOf(step: Step, rows: string[], isWhole: boolean): Cell[] {
	const targets = rows.filter((row) => row !== LOGIN || rows.length === 1);
	return FAULTS.flatMap((fault, index) => {
		const affected = targets.filter((row) => fault.rows?.test(row) ?? true);
		if (isWhole)
			return affected.flatMap((row) => [true, false].map((isOnce) => ({ row, fault, isOnce })));
		const turn = index + STEPS.indexOf(step);
		const row = affected[(turn >> 1) % affected.length];
		const isOnce = Math.floor((turn >> 1) / affected.length) % 2 === 0;
		return turn % 2 > 0 || row === undefined ? [] : [{ row, fault, isOnce }];
	});
}

async function runWithoutFault(bench: Bench, step: Step): Promise<Baseline> {
	await bench.clear();
	const run = await step.prepare(bench);
	bench.sandbox.pbx.requests.clear();
	const { items, error } = await run();
	const rows = [...new Set(bench.sandbox.pbx.requests.list().map(({ row }) => row))];
	if (error && rows.length > 0) throw error;
	return { items: bench.plain(items), state: bench.state(), rows };
}

/** Runs a step while one of its requests fails. Returns the rules that it broke. */
async function runCell(
	bench: Bench,
	step: Step,
	{ row, fault, isOnce }: Cell,
	baseline: Baseline,
): Promise<string[]> {
	await bench.clear();
	const { pbx } = bench.sandbox;
	const run = await step.prepare(bench);
	const before = bench.state();
	if (fault.atLogin) pbx.tokens.expire();
	pbx.requests.clear();
	pbx.faults.add(orderOf({ row, fault, isOnce }));

	const result = await run();
	const sent = pbx.requests.list();
	const broken = [
		...outcomeFaults({ bench, step, baseline, before }, result, fault),
		...(step.isOperation ? repetitions(sent) : []),
	];
	if (result.error && isOnce && fault.isTemporary && mayRepeat(row)) broken.push("doesn't recover");
	pbx.faults.clear();
	// As a user would next: the node stops sending requests after a rejected login, and after a new token that didn't help.
	if (fault.atLogin || fault.order.status === 401) await testCredential(bench.credential);
	const left = (await step.recover?.(bench, result)) ?? [];
	return [...broken, ...(fault.isUndetectable ? [] : left)];
}

function orderOf({ row, fault, isOnce }: Cell): Fault['order'] {
	const [method = '', path = ''] = (fault.atLogin ? LOGIN : row).split(' ');
	const place = { method, path: path.replace(/:\w+/g, '*') };
	return { ...fault.order, ...place, ...(isOnce && { times: 1 }) };
}

/** A call's request is a GET that rings a phone. */
const mayRepeat = (row: string) => /^(GET|DELETE) (?!.*quickcall)/.test(row);

/** An error's message and description as n8n shows them. */
const textOf = (error: Error) =>
	[error.message, (error as NodeApiError).description].filter(Boolean).join(' | ');

function messageFaults(bench: Bench, error: Error): string[] {
	const words = textOf(error);
	const all = `${words} ${JSON.stringify(error)} ${JSON.stringify((error as NodeApiError).context)}`;
	return [
		...(ADVICE.test(words) ? [] : [`gives no advice: ${words}`]),
		...(/\n\s+at |node_modules/.test(words) ? [`shows a stack trace: ${words}`] : []),
		...(bench.secrets().some((secret) => all.includes(secret)) ? ['shows a secret'] : []),
	];
}

/** What is wrong with what the step gave, and with what the PBX now stores. */
function outcomeFaults(
	{
		bench,
		step,
		baseline,
		before,
	}: { bench: Bench; step: Step; baseline: Baseline; before: string },
	{ items, error }: Result,
	{ isUndetectable }: Fault,
): string[] {
	const state = bench.state();
	if (error) {
		const isReported = /might have been created|Remove it manually/.test(textOf(error));
		const isHalf = state !== before && state !== baseline.state && !isReported && step.isOperation;
		return [
			...messageFaults(bench, error),
			...(step.undoes && state !== before ? ['failed, and left changes behind'] : []),
			...(isHalf ? ['half done, without saying so'] : []),
		];
	}
	if (isUndetectable) return [];
	const given = bench.plain(items);
	return [
		...(given === baseline.items ? [] : [`unexpected items: ${given}`]),
		...(state === baseline.state ? [] : ['no error, but no change at the PBX']),
	];
}

/**
 * Finds requests that were sent too often: more than four times, twice if they mustn't be repeated, and writes that the PBX
 * might have processed. After a 400 or 401, it hasn't.
 */
function repetitions(sent: ReturnType<Bench['sandbox']['pbx']['requests']['list']>): string[] {
	const counts = new Map<string, number>();
	const written = new Set<string>();
	return sent.flatMap(({ method, path, body, status, row }) => {
		const key = `${method} ${path} ${JSON.stringify(body)}`;
		const count = (counts.get(key) ?? 0) + 1;
		counts.set(key, count);
		const isTwice = written.has(key);
		const isWrite = row !== LOGIN && (method === 'PUT' || method === 'POST');
		if (isWrite && status !== 401 && status !== 400) written.add(key);
		const isTooOften = count > (mayRepeat(row) ? 4 : 2);
		return isTwice || isTooOften ? [`sent again: ${key}`] : [];
	});
}
