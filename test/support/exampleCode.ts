import { compileFunction } from 'node:vm';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { numberDetails } from '../../nodes/VirtualPbx/util/phone';
import { readExampleFile } from './exampleTexts';

/** An incoming call of a company, in Russia unless another country is given, as the workflows get it that find its customer. */
export const callFrom = (customerNumber: string, country = 'RU'): IDataObject => ({
	...{ createCallers: 'yes', whichCustomer: 'oldest', callType: 'incoming' },
	...{ customerNumber, numberText: customerNumber },
	details: numberDetails(customerNumber, country),
});

/** The sheets of the spreadsheet of calls, as Google Sheets returns them: contacts, calls, and missed callers. */
export const sheetsOf = (
	contacts: string[][] = [],
	calls: string[][] = [],
	list: string[][] = [],
) => ({
	valueRanges: [
		{ values: [['name', 'phone', 'mine', 'owner'], ...contacts] },
		{ values: [['callId', 'outcome', 'mine', 'summary', 'customer']] },
		{ values: [['callId', 'outcome'], ...calls] },
		{ values: [['number', 'status', 'owner', 'lastMissedAt', 'reachedBy', 'mine'], ...list] },
	] as IDataObject[],
});

type Items = Array<{ json: IDataObject }>;
type Run = (...values: unknown[]) => Items;

/** The names that an example's code can use. */
const NAMES = ['$', '$input', '$json', '$now', '$today', 'DateTime'];

/** By file and node, since most tests run the same code many times. */
const compiled = new Map<string, Run>();

function codeOf(file: string, name: string): Run {
	const key = `${file}/${name}`;
	const known = compiled.get(key);
	if (known) return known;
	const node = readExampleFile(file).nodes.find((one) => one.name === name);
	const run = compileFunction(String(node?.parameters.jsCode), NAMES) as Run;
	compiled.set(key, run);
	return run;
}

/**
 * Runs a Code node of an example, as n8n does. `made` is what earlier nodes returned, by name, one item each or a list;
 * `input` is what the node gets. The time zone is UTC. Returns what it returns.
 */
export function runCode(
	file: string,
	name: string,
	made: Record<string, IDataObject | IDataObject[]>,
	input: IDataObject | IDataObject[],
): IDataObject[] {
	const itemsOf = (value: IDataObject | IDataObject[] = []): Items =>
		[value].flat().map((json) => ({ json }));
	const access = (items: Items) => ({
		isExecuted: items.length > 0,
		first: () => items[0],
		all: () => items,
		itemMatching: (index: number) => items[index],
	});
	const given = itemsOf(input);
	const now = DateTime.utc();
	const outputOf = (one: string) => access(itemsOf(made[one]));
	const { json } = given[0] ?? {};
	const result = codeOf(
		file,
		name,
	)(...[outputOf, access(given), json, now, now.startOf('day'), DateTime]);
	return result.map((item) => item.json);
}
