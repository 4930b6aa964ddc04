import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { stepsField } from '../../fields/steps';
import { answerOfSteps, checkAnswer } from '../../pivot/answer';

/** The inputs from which an answer to a routing request is made: steps, or JSON. */
export const answerFields: INodeProperties[] = [
	{
		displayName: 'Specify Answer',
		name: 'specifyAnswer',
		type: 'options',
		options: [
			{ name: 'Using Fields Below', value: 'steps', description: 'Build it step by step' },
			{
				name: 'Using JSON',
				value: 'json',
				description: 'Use it as it is, for example from the input',
			},
		],
		default: 'steps',
		description: 'How to specify the answer. The node checks it in both cases.',
	},
	stepsField({
		displayName: 'Steps',
		name: 'steps',
		description: 'What the PBX does with the call, in this order',
		displayOptions: { show: { specifyAnswer: ['steps'] } },
	}),
	{
		displayName: 'Answer',
		name: 'answer',
		type: 'json',
		default: '={{ $json }}',
		hint: 'One operation or a list of operations',
		description:
			'Operations for the PBX, such as {"operations": [{"type": "extension", "extension": "100"}]}',
		displayOptions: { show: { specifyAnswer: ['json'] } },
	},
];

/** Makes the answer of §2.3 for one item, or of JSON `answer`. Throws NodeOperationError that names each wrong step. */
export function readAnswer(
	context: IExecuteFunctions,
	itemIndex: number,
	answer?: unknown,
): IDataObject {
	const checked = answersWithJson(context, itemIndex)
		? checkAnswer(answer ?? context.getNodeParameter('answer', itemIndex, {}))
		: answerOfSteps(context.getNodeParameter('steps', itemIndex, {}));
	if (checked.problems.length > 0) {
		throw new NodeOperationError(context.getNode(), checked.problems.join('; '), {
			itemIndex,
			description: 'Correct the answer: the PBX would not know what to do with the call.',
		});
	}
	return checked.answer;
}

/** Whether the answer is given as JSON rather than by steps. */
export function answersWithJson(context: IExecuteFunctions, itemIndex: number): boolean {
	return context.getNodeParameter('specifyAnswer', itemIndex, 'steps') === 'json';
}
