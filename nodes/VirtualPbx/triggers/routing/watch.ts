import type { IHookFunctions, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { openPbx } from '../../transport/pbx';
import { newsOfError, Teller, Unchecked, withEnd } from '../telling';
import type { News } from '../telling';
import { checkInTurn, placeKey } from '../turns';
import { checkBudget } from '../waiting';
import { nodeKey, watch } from '../watching';
import { askedBy, existingConnection, readCallflow } from './connection/connect';
import { isSamePlace, putInPlace, strangerIn, wasTakenOut } from './connection/establish';
import type { CallflowRead } from './connection/connect';
import { hold, recorded } from './connection/record';
import { wordsOf } from './report';
import type { Settings } from './settings';

/** What an activation leaves to the checks that follow it. */
interface Watched {
	turns: string;
	settings: Settings;
	/** False as long as it is not known that the callflow was connected: at n8n's start the PBX may not have answered. */
	isConnected: boolean;
	/** Whether the next check comes soon: what failed may pass by itself. */
	isSoon: boolean;
	unchecked: Unchecked;
}

/** What a check has come to: undefined where all is well. */
type Trouble = Omit<News, 'subject'> & { isOutage?: boolean };

type Failed = Extract<CallflowRead, { ok: false }>;

/** By workflow and node: the activation that holds in this process. */
const watched = new Map<string, Watched>();

/** Notes how an active node is to be connected, for the checks to come, and whether it is. */
export function noteConnection(
	context: IHookFunctions,
	settings: Settings,
	isConnected: boolean,
): void {
	watched.set(nodeKey(context), {
		turns: placeKey(context),
		settings,
		isConnected,
		isSoon: !isConnected,
		unchecked: new Unchecked(),
	});
}

/** Forgets an activation that ends, or that leaves the callflow to someone else. */
export function forgetConnection(context: IHookFunctions): void {
	watched.delete(nodeKey(context));
}

/**
 * n8n's `trigger` of the routing trigger: checks every few minutes whether the callflow still asks this node. What the
 * PBX kept n8n's start from doing is done then; a pivot module that a person has taken out is reported, and stays out.
 */
export function watchConnection(context: ITriggerFunctions): ITriggerResponse {
	const own = watched.get(nodeKey(context));
	if (!own || own.settings.checkMinutes === 0 || context.getMode() === 'manual') return {};
	const { name: workflow = '' } = context.getWorkflow();
	const prefix = `Virtual PBX Routing Trigger "${context.getNode().name}" in "${workflow}"`;
	const teller = new Teller(context, prefix, own.settings.startsErrorWorkflow);
	return watch(context, {
		isDue: (minutes) => minutes >= own.settings.checkMinutes || own.isSoon,
		isSoon: own.isSoon,
		check: async () => {
			if (watched.get(nodeKey(context)) !== own) return;
			const checked = await checkInTurn(own.turns, async (turn) => ({
				trouble: await safeCheck(context, own, turn),
			}));
			if (checked) own.isSoon = checked.trouble?.isOutage ?? false;
			if (checked?.trouble) teller.tell({ subject: 'callflow', ...checked.trouble });
			else if (checked) teller.relieve('callflow', GOOD);
		},
	});
}

const GOOD = 'the callflow asks this node.';

function unchecked({ settings }: Watched): string {
	return `whether callflow ${settings.place.callflowId} asks this node could not be checked`;
}

async function safeCheck(
	...[context, own, turn]: Parameters<typeof check>
): Promise<Trouble | undefined> {
	try {
		return await check(context, own, turn);
	} catch (error) {
		return newsOfError(unchecked(own), error);
	}
}

async function check(
	context: ITriggerFunctions,
	own: Watched,
	turn: object,
): Promise<Trouble | undefined> {
	const { place, pivot } = own.settings;
	const pbx = await openPbx(context, checkBudget(turn));
	const reading = await readCallflow(pbx, place);
	if (!reading.ok) return notRead(own, reading);
	own.unchecked.end();
	const name = `callflow ${place.callflowId}`;
	if (existingConnection(reading.callflow, place, pivot)) {
		hold(context, pivot.webserver);
		own.isConnected = true;
		return undefined;
	}
	const asked = askedBy(reading.callflow.flow);
	if (own.isConnected) return takenOut(name, asked.includes(pivot.webserver));

	const record = recorded(context, pivot.webserver);
	const stranger = strangerIn(asked, pivot.webserver, record);
	if (stranger !== undefined || (record && !isSamePlace(record, place)))
		return {
			key: 'not connected',
			words: `${name} is not connected${stranger ? `: ${stranger}` : ''}.`,
			description: AGAIN,
		};
	if (wasTakenOut(asked, own.settings, record)) {
		own.isConnected = true;
		return takenOut(name, false);
	}
	try {
		await putInPlace(context, pbx, own.settings);
		own.isConnected = true;
		return undefined;
	} catch (error) {
		const words = `${name} could not be connected: ${withEnd(wordsOf(error))}`;
		return { key: 'connecting failed', words, isOutage: isServers(error) };
	}
}

function notRead(own: Watched, failed: Failed): Trouble {
	const { callflowId } = own.settings.place;
	if (failed.failure.status === 404)
		return {
			key: 'deleted',
			words: `callflow ${callflowId} is deleted at the PBX, so no call is routed.`,
		};
	const { times, ...news } = own.unchecked.add(failed);
	return { words: `${unchecked(own)}${times}: ${withEnd(failed.error.message)}`, ...news };
}

function isServers(error: unknown): boolean {
	return error instanceof NodeApiError && /^(?:5\d\d|429)$/.test(error.httpCode ?? '');
}

const AGAIN = 'To have it ask this node, publish the workflow again.';

function takenOut(name: string, isAsked: boolean): Trouble {
	return {
		key: isAsked ? 'changed' : 'taken out',
		words: isAsked
			? `${name} asks this node otherwise than it is set up: someone has changed the pivot module.`
			: `${name} no longer asks this node: someone has changed its flow.`,
		description: AGAIN,
	};
}
