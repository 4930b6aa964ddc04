import type { IDataObject } from 'n8n-workflow';
import type { N8nClient } from '../../n8n';
import type { Part } from './flows';
import { makeFlow, routing, trigger } from './flows';

/** How much to ask. */
export interface Load {
	total: number;
	/** How many callers wait at the same time; each asks again once it has its answer. */
	callers: number;
	/** Seconds. */
	deadline: number;
}

/** What the callers of one kind of workflow got. */
export interface AnswerRow {
	workflow: string;
	calls: number;
	/** Not 200, not JSON, or without operations. */
	invalid: number;
	'by the workflow': number;
	'by the fallback': number;
	/** Later than the deadline and 100 ms. */
	late: number;
	p50: number;
	max: number;
}

interface Answer {
	ms: number;
	by: string | null;
	valid: boolean;
}

const part = (name: string, type: string, typeVersion: number, parameters: IDataObject): Part => ({
	name,
	type: `n8n-nodes-base.${type}`,
	typeVersion,
	parameters: parameters as never,
});

const wait = (seconds: number) => part('Wait', 'wait', 1.1, { amount: seconds });
const give = (json: object) =>
	part('Give', 'set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify(json), options: {} });

/** Lets no item through. */
const stopHere = part('Stop Here', 'filter', 2.2, {
	conditions: {
		options: { version: 2, caseSensitive: true, leftValue: '', typeValidation: 'strict' },
		combinator: 'and',
		conditions: [
			{
				id: 'never',
				leftValue: 'a',
				rightValue: 'b',
				operator: { type: 'string', operation: 'equals' },
			},
		],
	},
	options: {},
});

/** Workflows that succeed, fail, hang, answer garbage or nothing, or are ended by n8n. */
async function makeFlows(client: N8nClient, deadline: number): Promise<Map<string, string>> {
	const last = () => trigger({ deadline });
	const byNode = () => trigger({ deadline, responseMode: 'responseNode' });
	const kinds: Array<[string, Part[], IDataObject?]> = [
		['succeeds, Respond', [byNode(), routing('respond')]],
		['succeeds, last node', [last(), routing('buildAnswer')]],
		[
			'fails',
			[last(), part('Fail', 'stopAndError', 1, { errorMessage: 'no' }), routing('buildAnswer')],
		],
		['hangs', [last(), wait(deadline * 3), routing('buildAnswer')]],
		['answers garbage', [last(), give({ hello: 'world' })]],
		['breaks a rule', [last(), give({ operations: [{ type: 'device' }] })]],
		['answers nothing', [byNode(), stopHere, routing('respond')]],
		[
			'is ended by n8n',
			[last(), wait(deadline * 3), routing('buildAnswer')],
			{ executionTimeout: 1 },
		],
	];
	const urls = new Map<string, string>();
	for (const [name, parts, settings] of kinds)
		urls.set(name, await makeFlow(client, `Load: ${name}`, parts, settings));
	return urls;
}

/** Asks workflows of all kinds in turns until all requests are made, and counts what the callers got. */
export async function countAnswers(
	client: N8nClient,
	{ total, callers, deadline }: Load,
): Promise<AnswerRow[]> {
	const urls = [...(await makeFlows(client, deadline))];
	const answers = new Map<string, Answer[]>(urls.map(([name]) => [name, []]));
	let next = 0;
	const caller = async () => {
		for (let number = next++; number < total; number = next++) {
			const [name, url] = urls[number % urls.length] ?? ['', ''];
			answers.get(name)?.push(await ask(`${url}?Call-ID=${number}&From=100`));
		}
	};
	await Promise.all(Array.from({ length: callers }, caller));
	const rows = [...answers].map(([name, list]) => summary(name, list, deadline));
	return [...rows, summary('all', [...answers.values()].flat(), deadline)];
}

async function ask(url: string): Promise<Answer> {
	const before = performance.now();
	const response = await fetch(url);
	const text = await response.text();
	const ms = performance.now() - before;
	const by = response.headers.get('x-routing-answer');
	return { ms, by, valid: response.status === 200 && text.startsWith('{"operations":[{"type":') };
}

function summary(workflow: string, list: Answer[], deadline: number): AnswerRow {
	const times = list.map(({ ms }) => ms).sort((a, b) => a - b);
	return {
		workflow,
		calls: list.length,
		invalid: list.filter(({ valid }) => !valid).length,
		'by the workflow': list.filter(({ by }) => by === 'workflow').length,
		'by the fallback': list.filter(({ by }) => by === 'fallback').length,
		late: times.filter((ms) => ms > deadline * 1000 + 100).length,
		p50: Math.round(times[times.length >> 1] ?? 0),
		max: Math.round(times.at(-1) ?? 0),
	};
}
