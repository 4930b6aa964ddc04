import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { checkAnswer, answerOfSteps } from '../../../nodes/VirtualPbx/pivot/answer';
import { checkStep, KINDS, kindOf } from '../../../nodes/VirtualPbx/pivot/step';
import { requestParameters, simplifyRequest } from '../../../nodes/VirtualPbx/pivot/request';
import { brokenText, json, object, spoilt, text } from '../hostile';
import { isJson, target } from '../target';

const REQUEST_KEYS = ['Call-ID', 'from', 'To', 'caller_id_number', 'request', 'data', 'args'];
const ANSWER_KEYS = ['operations', 'type', 'extension', 'id', 'filename', 'output', 'step'];
const EMPTY = simplifyRequest({ method: 'GET', query: {}, body: undefined });
const SHAPE = Object.keys(EMPTY).sort();
const DETAILS = Object.keys(EMPTY.details as IDataObject).sort();

const step = spoilt(
	fc.constantFrom(
		{ type: 'extension', extension: '101', timeout: 20, delay: '5', strategy: 'single' },
		...KINDS.map(({ type, target: field }) => ({ type, [field]: 'x' })),
	),
);
const answers = fc.oneof(
	step,
	fc.array(step, { maxLength: 4 }),
	fc.array(step, { maxLength: 4 }).map((operations) => ({ operations })),
	fc.array(step, { maxLength: 4 }).map((rows) => ({ step: rows })),
	fc.array(step, { maxLength: 4 }).map((operations) => ({ output: JSON.stringify(operations) })),
	brokenText(step),
	json(ANSWER_KEYS),
	text,
);

/** What routing requests and the workflow's answers run into (§2.2, §2.3). */
export const routingTargets = [
	target(
		'routing requests',
		[requestParameters, simplifyRequest],
		fc.record({
			method: fc.constantFrom('GET', 'POST'),
			query: object(REQUEST_KEYS),
			body: fc.oneof(
				fc.constant(undefined),
				json(REQUEST_KEYS),
				brokenText(json(REQUEST_KEYS)),
				text,
			),
		}),
		(request) => {
			const given = requestParameters(request);
			const simple = simplifyRequest(request);
			isJson(simple);
			assert.deepEqual(Object.keys(simple).sort(), SHAPE);
			const details = simple.details as IDataObject;
			assert.deepEqual(Object.keys(details).sort(), DETAILS);
			const told = new Set([...Object.values(simple), ...Object.values(details)]);
			const rest = details.parameters as object;
			// Of the caller's number, the plain one is told; the raw request has it as it came.
			const isCaller = (name: string) => /caller.?(?:id.?)?number/i.test(name);
			for (const [name, value] of Object.entries(given).filter(([key]) => !isCaller(key)))
				assert.ok(Object.hasOwn(rest, name) || told.has(String(value)), `${name} is lost`);
		},
	),
	target('routing answers', [checkAnswer], answers, (value) => {
		const { answer, problems } = checkAnswer(value);
		isJson(answer);
		if (problems.length > 0) return assert.ok(problems.every((problem) => problem !== ''));
		const again = checkAnswer(answer);
		assert.deepEqual(again.problems, [], 'What was right stays right');
		assert.deepEqual(again.answer, answer, 'and the same');
	}),
	target('routing steps', [answerOfSteps, checkStep, kindOf], answers, (value) => {
		isJson(answerOfSteps(value).answer);
		const { operation, problems } = checkStep(value, 1);
		if (problems.length === 0) assert.ok(kindOf(operation.type));
	}),
];
