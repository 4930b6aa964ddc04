import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../values/json';
import { checkAnswer } from './checkAnswer';
import type { CheckedAnswer } from './checkAnswer';
import { kindOf } from './kinds';

/**
 * Builds the answer of §2.3 from the rows of the step editor, checked. A field that the chosen kind does not have is
 * left out, as are empty ones: then the employee's own settings hold (§2.3 rule 2).
 *
 * @param value the editor's value: `{ step: [row, …] }`, or from an expression a list of rows or anything that
 * `checkAnswer` understands
 */
export function answerOfSteps(value: unknown): CheckedAnswer {
	const rows = isObject(value) && 'step' in value ? value.step : value;
	if (isObject(rows) && Object.keys(rows).length === 0) return checkAnswer([]);
	if (!Array.isArray(rows)) return checkAnswer(rows);
	return checkAnswer({ operations: (rows as unknown[]).map(operationOfRow) });
}

function operationOfRow(row: unknown): unknown {
	if (!isObject(row)) return row;
	// n8n leaves a default out; what an expression did not give is there, and undefined.
	const kind = kindOf('type' in row ? row.type : 'extension');
	if (!kind) return { type: row.type };
	const values: IDataObject = { ...row, ...(isObject(row.ringing) ? row.ringing : {}) };
	const names = [kind.target, ...(kind.rings ? ['timeout', 'delay', 'strategy'] : [])];
	const fields = names.map((name) => [name, values[name]] as const);
	return {
		type: kind.type,
		...Object.fromEntries(fields.filter(([, value]) => value !== '' && value !== undefined)),
	};
}
