import type { IExecuteFunctions } from 'n8n-workflow';

import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import {
	answerFields,
	answersWithJson,
	findWaitingTrigger,
	hintAtLateAnswer,
	readAnswer,
} from './answering';

/** Answers the call that started this execution at once (§2.3), while the workflow goes on. */
export const respond: Operation = {
	value: 'respond',
	name: 'Respond',
	action: 'Respond to routing request',
	description:
		'Answer the request of the Virtual PBX Routing Trigger at once and continue the workflow',
	hint: 'Only in a workflow that starts with Virtual PBX Routing Trigger: the last thing before the caller is connected.',
	kind: 'write',
	fields: answerFields,
	output: 'One item with the answer',
	async execute({ context, itemIndex }) {
		if (itemIndex > 0) return [];
		const trigger = findWaitingTrigger(context);
		const answer = readAnswer(context, itemIndex, answerOfAllItems(context));

		hintAtLateAnswer(context, trigger.name);
		if (trigger.respondsByNode)
			await context.sendResponse({ body: answer, headers: {}, statusCode: 200 });
		return itemsOf([answer]);
	},
};

/** Several items are several operations, or several answers of which the first counts. */
function answerOfAllItems(context: IExecuteFunctions): unknown {
	const count = context.getInputData().length;
	if (count < 2 || !answersWithJson(context, 0)) return undefined;
	return Array.from({ length: count }, (_, index) => context.getNodeParameter('answer', index, {}));
}
