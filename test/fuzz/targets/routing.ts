import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { answerOfSteps, checkAnswer, KINDS } from '../../../nodes/VirtualPbx/pbx/pivot/answer';
import { requestParameters, simplifyRequest } from '../../../nodes/VirtualPbx/pbx/pivot/request';
import { brokenText, json, object, corrupted, text } from '../hostile';
import { isJson, target } from '../target';

const REQUEST_KEYS = ['Call-ID', 'from', 'To', 'caller_id_number', 'request', 'data', 'args'];
const ANSWER_KEYS = ['operations', 'type', 'extension', 'id', 'filename', 'output', 'step'];
const shapeOf = (value: unknown) => Object.keys(value as object).sort();
const EMPTY = simplifyRequest({ method: 'GET', query: {}, body: undefined });

const step = corrupted(
	fc.constantFrom(
		{ type: 'extension', extension: '101', timeout: 20, delay: '5', strategy: 'single' },
		...KINDS.map(({ type, target }) => ({ type, ...(target && { [target]: 'x' }) })),
	),
);
const list = fc.array(step, { maxLength: 4 });
const answers = fc.oneof(
	step,
	list,
	list.map((operations) => ({ operations })),
	list.map((rows) => ({ step: rows })),
	list.map((operations) => ({ output: JSON.stringify(operations) })),
	brokenText(step),
	json(ANSWER_KEYS),
	text,
);
const bodies = [fc.constant(undefined), json(REQUEST_KEYS), brokenText(json(REQUEST_KEYS)), text];

/** Reads routing requests and the workflow's routing answers (§2.2, §2.3). */
export const routingTargets = [
	target(
		'routing requests',
		fc.record({
			method: fc.constantFrom('GET', 'POST'),
			query: object(REQUEST_KEYS),
			body: fc.oneof(...bodies),
		}),
		(request) => {
			const simple = simplifyRequest(request);
			const details = simple.details as IDataObject;
			isJson(simple);
			assert.deepEqual([simple, details].map(shapeOf), [EMPTY, EMPTY.details].map(shapeOf));
			const shown = new Set([...Object.values(simple), ...Object.values(details)]);
			// The caller's number is shown without formatting. The raw request keeps the original.
			const isCaller = (name: string) => /caller.?(?:id.?)?number/i.test(name);
			for (const [name, value] of Object.entries(requestParameters(request)))
				assert.ok(
					isCaller(name) ||
						Object.hasOwn(details.parameters as object, name) ||
						shown.has(String(value)),
					`${name} is lost`,
				);
		},
	),
	target('routing answers', answers, (value) => {
		const { answer, problems } = checkAnswer(value);
		isJson(answer);
		isJson(answerOfSteps(value).answer);
		if (problems.length > 0) return assert.ok(problems.every((problem) => problem !== ''));
		const again = checkAnswer(answer);
		assert.deepEqual(again.problems, [], 'A valid answer is rejected the second time');
		assert.equal(JSON.stringify(again.answer), JSON.stringify(answer), 'A valid answer is changed');
	}),
];
