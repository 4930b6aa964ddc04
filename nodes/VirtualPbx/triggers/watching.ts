import type {
	IDataObject,
	IHookFunctions,
	INode,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';

import { settingError } from '../fields/inputs';
import { isOn } from '../values/json';

/** How a trigger is to be watched. */
export interface WatchSettings {
	/** How often an active trigger checks what it has set up, in minutes; 0 for never. */
	checkMinutes: number;
	/** Whether what a check finds starts the error workflow. */
	startsErrorWorkflow: boolean;
}

const USUAL_MINUTES = 5;
const MOST_MINUTES = 1440;
const SOON_SECONDS = 5;

/**
 * Reads how a trigger is to be watched.
 *
 * @param options the trigger's collection of options
 * @throws NodeOperationError that names the option
 */
export function readWatchSettings(
	context: { getNode(): INode },
	options: IDataObject,
): WatchSettings {
	const given = options.checkMinutes ?? USUAL_MINUTES;
	const minutes = typeof given === 'string' && given.trim() === '' ? Number.NaN : Number(given);
	if (!Number.isInteger(minutes) || minutes < 0 || minutes > MOST_MINUTES) {
		throw settingError(
			context,
			`Check Every must be a whole number from 0 to ${MOST_MINUTES}`,
			'Correct Check Every in this node.',
		);
	}
	return { checkMinutes: minutes, startsErrorWorkflow: isOn(options.startsErrorWorkflow ?? false) };
}

/** Identifies a node in this process, whatever its address. */
export function nodeKey(context: IHookFunctions | ITriggerFunctions): string {
	return JSON.stringify([context.getWorkflow().id, context.getNode().id]);
}

/** When a check of an active trigger runs, and what it does. */
export interface Watch {
	/** Tells whether the check is due so many minutes after the last one, or after the activation. */
	isDue: (minutes: number) => boolean;
	/** Whether the first check comes within seconds, since n8n's start has left something to it. */
	isSoon: boolean;
	check: () => Promise<void>;
}

/**
 * Runs a check again and again while the workflow is active, in the one process of n8n that runs triggers: each node at a
 * second of its own, and never twice at once. It neither delays the activation nor makes it fail.
 *
 * @returns what n8n's `trigger` returns
 */
export function watch(
	context: ITriggerFunctions,
	{ isDue, isSoon, check }: Watch,
): ITriggerResponse {
	let minutes = 0;
	let isRunning = false;
	let isOver = false;
	let told: string | undefined;
	const tick = async () => {
		minutes++;
		if (isRunning || isOver || !isDue(minutes)) return;
		isRunning = true;
		minutes = 0;
		try {
			await check();
			told = undefined;
		} catch (error) {
			const words = error instanceof Error ? error.message : String(error);
			if (words !== told)
				context.logger.warn(`${context.getNode().name}: a check has failed. ${words}`);
			told = words;
		} finally {
			isRunning = false;
		}
	};
	const second = isSoon ? secondSoon() : Math.floor(Math.random() * 60);
	context.helpers.registerCron({ expression: `${second} * * * * *` }, async () => await tick());
	return {
		closeFunction: async () => {
			isOver = true;
		},
	};
}

/** A second of the minute that comes soon, and not for all nodes at once; n8n's start has still much to do. */
function secondSoon(): number {
	const after = SOON_SECONDS * (1 + 3 * Math.random());
	return (new Date().getSeconds() + Math.floor(after)) % 60;
}
