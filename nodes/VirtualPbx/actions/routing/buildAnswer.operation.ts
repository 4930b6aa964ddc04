import type { Operation } from '../operation';
import { itemsOf } from '../operation';
import { answerParameters, hintAtLateOutput, readAnswer } from './answering';

/** Builds and validates a web service's answer to a routing request (§2.3). Needs no PBX. */
export const buildAnswer: Operation = {
	value: 'buildAnswer',
	name: 'Build Answer',
	action: 'Build routing answer',
	description:
		'Build the answer to a routing request: what the PBX does with the call, step by step',
	kind: 'read',
	parameters: answerParameters,
	output: 'The answer: operations, in order',
	async execute(call) {
		const answer = readAnswer(call);
		if (call.itemIndex === 0) hintAtLateOutput(call.context);
		return itemsOf([answer]);
	},
};
