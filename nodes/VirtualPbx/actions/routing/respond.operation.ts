import type { Operation } from '../operation';
import { itemsOf } from '../operation';
import { answerParameters, findWaitingTrigger, hintAtLateAnswer, readAnswer } from './answering';

/** Responds immediately to the call that started this execution (§2.3), while the workflow continues. */
export const respond: Operation = {
	value: 'respond',
	name: 'Respond',
	action: 'Respond to routing request',
	description: 'Answer the waiting call right away, and continue the workflow',
	hint: 'Only in a workflow that starts with Virtual PBX Call Routing Trigger: the last thing before the caller is connected.',
	kind: 'write',
	parameters: answerParameters,
	output: 'One item with the answer',
	async execute(call) {
		const { context, itemIndex } = call;
		if (itemIndex > 0) return [];
		const trigger = findWaitingTrigger(context);
		const answer = readAnswer(call, { ofAllItems: true });

		hintAtLateAnswer(context, trigger.name);
		if (trigger.respondsByNode)
			await context.sendResponse({ body: answer, headers: {}, statusCode: 200 });
		return itemsOf([answer]);
	},
};
