import { randomUUID } from 'node:crypto';
import type { IHookFunctions, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';

import { isPong, pingBody } from '../../events/ping';
import { EVENTS } from '../../events/table';
import { check } from './registration/check';
import type { Checked, Look } from './registration/check';
import type { Registration } from './registration/reconcile';
import { notedSecret, readState } from './registration/state';
import type { Pbx } from '../../transport/pbx';
import { openPbx } from '../../transport/pbx';
import { ping } from '../../transport/ping';
import { newsOfError, Teller, Unchecked, withEnd } from '../telling';
import { checkInTurn, placeKey } from '../turns';
import { checkBudget } from '../waiting';
import { nodeKey, watch } from '../watching';
import { inAccount, ownerOf } from './home';
import type { Settings } from './settings';
import { sweepTestWebhooks } from './sweep';

type CheckSettings = Pick<Settings, 'checkMinutes' | 'pingsItself' | 'startsErrorWorkflow'>;

/** What an activation leaves to the checks that follow it. */
interface Watched extends CheckSettings {
	place: string;
	registration: Registration;
	done: Done;
}

/** What an activation has done; n8n's start leaves the rest to the first check. */
export interface Done {
	/**
	 * False where something is left that the next check does soon: the PBX did not answer, which may pass, or there is no
	 * other check that tries again. A wrong password is not tried soon.
	 */
	isChecked: boolean;
	/** False where what old tests have left may still stand. */
	isSwept: boolean;
}

const TRY_MS = 15_000;
/** By workflow and node: the activation that holds in this process. */
const watched = new Map<string, Watched>();

/**
 * Notes what an activation has registered, for the checks to come: the check has neither the node's address nor
 * expressions in its parameters.
 */
export function noteActivation(
	context: IHookFunctions,
	registration: Registration,
	settings: Settings,
	done: Done,
): void {
	if (context.getMode() === 'manual') return;
	const { checkMinutes, pingsItself, startsErrorWorkflow } = settings;
	watched.set(nodeKey(context), {
		place: placeKey(context),
		registration,
		done: { ...done },
		checkMinutes,
		pingsItself,
		startsErrorWorkflow,
	});
}

/** Forgets an activation that ends; the end of a test at the same node leaves it. */
export function forgetActivation(context: IHookFunctions): void {
	const key = nodeKey(context);
	if (watched.get(key)?.place === placeKey(context)) watched.delete(key);
}

/**
 * n8n's `trigger` of the event trigger, which n8n calls after the webhooks are registered: checks them every few minutes,
 * and soon where n8n's start could not. What the start could not do is done even where no checks are wanted.
 */
export function watchWebhooks(context: ITriggerFunctions): ITriggerResponse {
	const own = watched.get(nodeKey(context));
	if (!own || context.getMode() === 'manual') return {};
	const { checkMinutes, done } = own;
	if (checkMinutes === 0 && done.isChecked) return {};
	const checks = new Checks(context, own);
	return watch(context, {
		isDue: (minutes) => !done.isChecked || (checkMinutes > 0 && minutes >= checkMinutes),
		isSoon: !done.isChecked,
		check: async () => {
			// A deactivation has come, or an activation that has checks of its own.
			if (watched.get(nodeKey(context)) === own) await checks.run();
		},
	});
}

/** The checks of one activation. */
class Checks {
	private readonly teller: Teller;
	private look: Look | undefined;
	private readonly unchecked = new Unchecked();
	private hasPonged = false;

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly own: Watched,
	) {
		const { name: workflow = '' } = context.getWorkflow();
		const prefix = `Virtual PBX Trigger "${context.getNode().name}" in "${workflow}"`;
		this.teller = new Teller(context, prefix, own.startsErrorWorkflow, () => this.secrets());
	}

	async run(): Promise<void> {
		const { own } = this;
		try {
			const checked = await checkInTurn(own.place, async (turn) => await this.check(turn));
			if (!checked) return;
			this.look = checked.kind === 'well' ? checked.look : undefined;
			this.tell(checked);
		} catch (error) {
			own.done.isChecked = true;
			this.teller.tell({ subject: 'PBX', ...newsOfError(unchecked(), error) });
		}
		if (own.pingsItself && own.checkMinutes > 0) await this.ping();
	}

	private async check(turn: object): Promise<Checked> {
		const { context, own } = this;
		const { accountId } = own.registration;
		own.registration = { ...own.registration, owner: await ownerOf(context) };
		const door = inAccount(await openPbx(context, checkBudget(turn)), accountId);
		const pbx: Pbx = {
			...door,
			attempt: async (request) => await door.attempt({ timeoutMs: TRY_MS, ...request }),
			send: async (request) => await door.send({ timeoutMs: TRY_MS, ...request }),
		};
		const data = context.getWorkflowStaticData('node');
		const checked = await check(pbx, own.registration, data, this.look);
		if (!own.done.isSwept && checked.kind !== 'unknown') {
			own.done.isSwept = true;
			await sweepTestWebhooks(context, pbx, own.registration);
		}
		return checked;
	}

	/** What deliveries carry now: as this process has noted it, and as the static data have it. */
	private secrets(): Array<string | undefined> {
		const { registration } = this.own;
		const state = readState(this.context.getWorkflowStaticData('node'), registration);
		return [notedSecret(registration.url), state.secret];
	}

	private tell(checked: Checked): void {
		const { teller, own } = this;
		if (checked.kind === 'unknown') {
			const { times, isOutage, ...news } = this.unchecked.add(checked.failed);
			own.done.isChecked = !isOutage;
			const words = `${unchecked(times)}. ${withEnd(checked.failed.error.message)}`;
			teller.tell({ subject: 'PBX', words, ...news });
			return;
		}
		own.done.isChecked = checked.kind !== 'broken' || own.checkMinutes > 0;
		this.unchecked.end();
		teller.relieve('PBX', 'the webhooks can be checked again.');
		if (checked.kind === 'broken') {
			const { message, description } = checked.error;
			teller.tell({
				subject: 'webhooks',
				key: eventsIn(checked.what),
				words: `the webhooks are not in order and could not be repaired: ${checked.what}. ${withEnd(message)}`,
				description:
					`${withEnd(description ?? '')} The trigger tries again every ${own.checkMinutes || 1} min.`.trim(),
			});
			return;
		}
		teller.relieve('webhooks', 'the webhooks are in order again.');
		if (checked.kind === 'repaired') {
			teller.say(`the webhooks were repaired: ${checked.what}.`, {
				description:
					'Earlier events may be lost. To see the deliveries, use Webhook → Check Health of the Virtual PBX node.',
			});
		}
	}

	private async ping(): Promise<void> {
		const { context, teller } = this;
		const { registration } = this.own;
		const { url } = registration;
		const secret = this.secrets().find((one) => one !== undefined);
		if (secret === undefined) return;
		const nonce = randomUUID();
		const outcome = await ping(context.helpers.httpRequest, url, {
			body: pingBody(secret, nonce),
			isAnswer: (answer) => isPong(answer, secret, nonce),
		});
		if (watched.get(nodeKey(context)) !== this.own) return;
		if (outcome.isOk) {
			this.hasPonged = true;
			teller.relieve('address', `${url} leads here again.`);
			return;
		}
		teller.tell({
			subject: 'address',
			key: outcome.isAnswered ? 'answered' : 'silent',
			words: `the PBX may not reach this trigger at ${url}: ${outcome.words}.`,
			description:
				'Check the webhook address of n8n, Delivery URL, and the proxy in front of n8n. If only n8n itself cannot call this address, turn off Call Own URL in Options.',
			// Many an n8n cannot call its own public address, which the PBX can.
			isMinor: !outcome.isAnswered && !this.hasPonged,
		});
	}
}

function unchecked(times = ''): string {
	return `the webhooks could not be checked${times}, so the trigger continues with the registered ones`;
}

/** Which events some words are about, without the PBX's own words in them. */
function eventsIn(words: string): string {
	return EVENTS.map(({ name }) => name)
		.filter((name) => words.includes(name))
		.join();
}
