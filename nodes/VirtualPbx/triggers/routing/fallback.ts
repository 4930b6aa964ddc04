import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { checkAnswer, answerOfSteps } from '../../pivot/answer';
import { checkStep } from '../../pivot/step';
import { isObject } from '../../values/json';
import { readSafely } from './settings';

/**
 * Reads the fallback steps while a call waits. Steps that cannot be used, as by an expression about a request that
 * lacks a field, are left out, so that what remains can always be sent.
 *
 * @returns an answer of §2.3, without operations only when no step at all is left; and what was wrong with the others
 */
export function readFallback(context: IWebhookFunctions): {
	fallback: IDataObject;
	dropped: string[];
} {
	const steps = readSafely(context, 'fallback', undefined) ?? {
		step: rawSteps(context).filter((row) => !holdsExpression(row)),
	};
	const { answer, problems } = answerOfSteps(steps);
	if (problems.length === 0) return { fallback: answer, dropped: [] };

	const { operations } = answer;
	const valid = (Array.isArray(operations) ? (operations as unknown[]) : []).filter(
		(operation, index) => checkStep(operation, index + 1).problems.length === 0,
	);
	const isFit = checkAnswer({ operations: valid }).problems.length === 0;
	return { fallback: { operations: isFit ? (valid as IDataObject[]) : [] }, dropped: problems };
}

/**
 * Refuses an activation whose fallback could not be sent. What an expression will give is not known yet, so it passes.
 *
 * @throws NodeOperationError with every rule that the fallback breaks
 */
export function requireFallback(context: IHookFunctions): void {
	const rows = rawSteps(context);
	const problems =
		rows.length === 0
			? answerOfSteps({ step: [] }).problems
			: rows.flatMap((row, index) =>
					holdsExpression(row)
						? []
						: answerOfSteps({ step: [row] }).problems.map((text) =>
								text.replace('Step 1', `Step ${index + 1}`),
							),
				);
	if (problems.length === 0) return;
	throw new NodeOperationError(context.getNode(), `Fallback: ${problems.join('; ')}`, {
		description:
			'Callers get the fallback steps if the workflow is slow or fails. Fill them in, then publish the workflow again.',
	});
}

/**
 * Refuses a way to respond that is an expression: n8n has to know it before it has seen the call.
 *
 * @throws NodeOperationError that says so
 */
export function requireFixedMode(context: IHookFunctions): void {
	const mode: unknown = context.getNodeParameter('responseMode', '', { rawExpressions: true });
	if (!holdsExpression(mode)) return;
	throw new NodeOperationError(context.getNode(), 'Respond must not be an expression', {
		description: 'Choose a value, because n8n needs it before the first call.',
	});
}

/** The rows of the step editor as they stand in the workflow; all of them by one expression count as one row. */
function rawSteps(context: IHookFunctions | IWebhookFunctions): unknown[] {
	const value: unknown = context.getNodeParameter('fallback', {}, { rawExpressions: true });
	const rows = isObject(value) ? value.step : value;
	if (Array.isArray(rows)) return rows as unknown[];
	return rows === undefined ? [] : [rows];
}

function holdsExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(holdsExpression);
}
