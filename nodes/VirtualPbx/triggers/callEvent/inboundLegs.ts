import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { directionOf } from '../../events/legs';
import type { CallEvent } from '../../events/parse';
import { haveInboundLegs } from '../../records/call';
import { readCdrs } from '../../records/readCdrs';
import { openPbx } from '../../transport/pbx';
import { unixToGregorian } from '../../values/time';
import { inAccount, placeOf } from './home';

/** What is known of the calls of one trigger. */
interface Known {
	haveInbound?: boolean | undefined;
	/** Until when that holds without being asked for again. */
	until: number;
	askedAt: number;
}

const MAX_URLS = 10_000;
/** An inbound leg that came here is proof. */
const SEEN_MS = 7 * 86_400_000;
const READ_MS = 3_600_000;
const PAUSE_MS = 30_000;
const BUDGET_MS = 20_000;
/** How far back records are read until they tell enough, in hours, and how many at most. */
const HOURS = [1, 24, 168];
const MAX_RECORDS = 500;
/** The PBX's clock may be ahead. */
const AHEAD_SECONDS = 3600;

/** By the trigger's URL. */
const known = new Map<string, Known>();

/** Notes that inbound legs come to a trigger. */
export function noteInbound(url: string, events: readonly CallEvent[], now = Date.now()): void {
	if (!events.some(({ fields }) => directionOf(fields) === 'inbound')) return;
	remember(url, { haveInbound: true, until: now + SEEN_MS, askedAt: now });
}

/**
 * Tells whether a trigger's calls have no inbound leg that the PBX reports, as far as this process knows. Where it does
 * not know, it learns so from the account's records (§2.4) in the background: the delivery does not wait for that.
 *
 * @param read reads the account's recent records until they tell enough; see {@link recentRecords}
 */
export function lackInbound(
	url: string,
	read: () => AsyncIterable<IDataObject[]>,
	now = Date.now(),
): boolean {
	const { haveInbound, until, askedAt } = known.get(url) ?? { until: 0, askedAt: -Infinity };
	if (now > until && now - askedAt >= PAUSE_MS) {
		remember(url, { haveInbound, until, askedAt: now });
		void learn(url, read);
	}
	return haveInbound === false;
}

/** The newest records of the trigger's account, of an ever longer time. */
export async function* recentRecords(context: IWebhookFunctions): AsyncGenerator<IDataObject[]> {
	const now = Date.now();
	const { accountId } = placeOf(context);
	const pbx = inAccount(await openPbx(context, { until: now + BUDGET_MS }), accountId);
	const to = Math.ceil(unixToGregorian(now / 1000)) + AHEAD_SECONDS;
	for (const hours of HOURS) {
		const from = to - AHEAD_SECONDS - hours * 3600;
		yield await readCdrs(pbx, { from, to, accountId, windowSeconds: 0 }, MAX_RECORDS);
	}
}

async function learn(url: string, read: () => AsyncIterable<IDataObject[]>): Promise<void> {
	try {
		for await (const records of read()) {
			const haveInbound = haveInboundLegs(records, Date.now());
			if (haveInbound === undefined) continue;
			const { until = 0, askedAt = 0 } = known.get(url) ?? {};
			// An inbound leg that came meanwhile tells more than records.
			if (until <= Date.now()) remember(url, { haveInbound, until: Date.now() + READ_MS, askedAt });
			return;
		}
	} catch {
		// Whoever may not read records is none the worse for it: the next event asks again.
	}
}

function remember(url: string, what: Known): void {
	known.delete(url);
	known.set(url, what);
	const [oldest] = known.keys();
	if (known.size > MAX_URLS && oldest !== undefined) known.delete(oldest);
}
