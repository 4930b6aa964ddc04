import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';

/** When a check of an active trigger runs, and what it does. */
export interface Watch {
	/** Tells whether the check is due so many minutes after the last one, or after the activation. */
	isDue: (minutes: number) => boolean;
	check: () => Promise<void>;
}

/**
 * Runs a check again and again while the workflow is active, in the one process of n8n that runs triggers: each node at a
 * second of its own, and never twice at once. It neither delays the activation nor makes it fail.
 *
 * @returns what n8n's `trigger` returns
 */
export function watch(context: ITriggerFunctions, { isDue, check }: Watch): ITriggerResponse {
	let minutes = 0;
	let isRunning = false;
	let isOver = false;
	const tick = async () => {
		minutes++;
		if (isRunning || isOver || !isDue(minutes)) return;
		isRunning = true;
		minutes = 0;
		try {
			await check();
		} catch (error) {
			const words = error instanceof Error ? error.message : String(error);
			context.logger.warn(`${context.getNode().name}: a check has failed. ${words}`);
		} finally {
			isRunning = false;
		}
	};
	const second = Math.floor(Math.random() * 60);
	context.helpers.registerCron({ expression: `${second} * * * * *` }, async () => await tick());
	return {
		closeFunction: async () => {
			isOver = true;
		},
	};
}
