import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { answerFields, hintAtLateOutput, readAnswer } from './answering';

/** Builds and checks the answer of a web service to a routing request (§2.3); needs no PBX. */
export const buildAnswer: Operation = {
	value: 'buildAnswer',
	name: 'Build Answer',
	action: 'Build routing answer',
	description:
		'Build the answer to a routing request: what the PBX does with the call, step by step',
	kind: 'read',
	fields: answerFields,
	output: 'The answer: operations, in order',
	async execute({ context, itemIndex }) {
		const answer = readAnswer(context, itemIndex);
		if (itemIndex === 0) hintAtLateOutput(context);
		return itemsOf([answer]);
	},
};
