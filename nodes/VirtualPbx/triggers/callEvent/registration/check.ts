import type { IDataObject, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { summarize } from '../../../events/attempts';
import { failureWords, isDisabled } from '../../../events/health';
import { EVENTS } from '../../../events/table';
import type { PbxHook } from '../../../events/table';
import type { Pbx } from '../../../transport/pbx';
import { readList } from '../../../transport/list';
import { asText } from '../../../values/json';
import { repair } from './lifecycle';
import type { Failed, OwnWebhook } from './observe';
import { comparable, complete, isSameUrl, listWebhooks, shownMark, webhookId } from './observe';
import type { Plan } from './plan';
import type { Registration } from './reconcile';
import { inspect, knownOf } from './reconcile';
import { knownState, noteSecret } from './state';

/** How all looked when it was well. As long as the list looks the same, only what it does not show is read by itself. */
export interface Look {
	mark: string;
	/** Unix milliseconds of the last check that read each webhook whole. */
	wholeAt: number;
	/** By id: how our webhooks looked of which the list shows less than is known, or nothing. */
	hidden: Record<string, string>;
}

/** What a check has come to. */
export type Checked =
	| { kind: 'well'; look: Look }
	/** `what`: what was wrong, in words. */
	| { kind: 'repaired'; what: string }
	| { kind: 'broken'; what: string; error: NodeApiError | NodeOperationError }
	/** The PBX could not be asked. */
	| { kind: 'unknown'; failed: Failed };

/** Lists may leave out what was edited, so everything is read now and then. */
const WHOLE_MS = 3_600_000;
const MAX_REASON = 200;
/** The log of attempts only explains; the repair must not wait for it. */
const ATTEMPTS_TRY_MS = 3_000;
const ATTEMPTS_MS = 5_000;

/**
 * Looks whether everything is still registered as it should be (§4.4), and makes it right by the rules of an activation:
 * only webhooks at exactly this address are changed. What is healthy stays, also where the rest cannot be made right.
 *
 * @param data the node's static data
 * @param last how the list looked at the last check that found all well; undefined to read everything
 */
export async function check(
	pbx: Pbx,
	registration: Registration,
	data: IDataObject,
	last: Look | undefined,
): Promise<Checked> {
	const now = Date.now();
	const listed = await listWebhooks(pbx);
	if (!listed.ok) return { kind: 'unknown', failed: listed };
	const mark = markOf(listed.items, registration, data);
	const isFresh = last?.mark === mark && now - last.wholeAt < WHOLE_MS;
	if (isFresh && (await looksSame(pbx, last.hidden, listed.items)))
		return { kind: 'well', look: last };

	const seen = await inspect(pbx, registration, data, listed);
	if ('unknown' in seen) return { kind: 'unknown', failed: seen.unknown };
	if (seen.isSettled) {
		noteSecret(registration.url, seen.secret, registration);
		const hidden = hiddenIn(listed.items, seen.webhooks);
		return { kind: 'well', look: { mark, wholeAt: now, hidden } };
	}
	const what = await describe(pbx, seen.plan, seen.webhooks);
	const failed = await repair(pbx, registration, data);
	return failed ? { kind: 'broken', what, error: failed } : { kind: 'repaired', what };
}

/** What a list must show of a webhook where it is known of it. */
const FIELDS = [
	...['name', 'uri', 'http_verb', 'hook', 'retries'],
	...['custom_data', 'enabled', 'disable_reason'],
];

function hiddenIn(items: readonly IDataObject[], webhooks: readonly OwnWebhook[]) {
	const byId = new Map(items.map((item) => [webhookId(item), item] as const));
	const hidden = webhooks.filter(({ id, doc }) =>
		FIELDS.some(
			(name) => (doc[name] ?? undefined) !== undefined && !(name in (byId.get(id) ?? {})),
		),
	);
	return Object.fromEntries(hidden.map(({ id, doc }) => [id, lookOf(doc)]));
}

async function looksSame(
	pbx: Pbx,
	hidden: Readonly<Record<string, string>>,
	items: readonly IDataObject[],
): Promise<boolean> {
	const looks = await Promise.all(
		Object.keys(hidden).map(async (id) => {
			const item = items.find((one) => webhookId(one) === id) ?? {};
			const read = await complete(pbx, id, item);
			return read.ok && read.doc !== undefined && lookOf(read.doc) === hidden[id];
		}),
	);
	return looks.every(Boolean);
}

const lookOf = (doc: IDataObject) => `${shownMark(doc)} ${isDisabled(doc)}`;

/** A fingerprint of what a list tells about our webhooks, and of those about which it does not tell whose they are. */
function markOf(items: readonly IDataObject[], registration: Registration, data: IDataObject) {
	const { url, owner, accountId } = registration;
	const known = knownOf(knownState(data, registration));
	const own = items
		.filter(
			(item) =>
				typeof item.uri !== 'string' ||
				isSameUrl(item.uri, url) ||
				Object.hasOwn(known, webhookId(item)),
		)
		.map((item) => `${webhookId(item)} ${lookOf(item)}`)
		.sort();
	return comparable([url, owner, accountId, ...own]);
}

/** What is wrong, event by event, as the middle of a sentence. */
async function describe(
	pbx: Pbx,
	{ keep, create, remove }: Plan,
	webhooks: readonly OwnWebhook[],
): Promise<string> {
	const causes = await Promise.all(
		remove.map(async (webhook) => (isDisabled(webhook.doc) ? await whyOff(pbx, webhook) : '')),
	);
	const words = remove.map(({ hook, doc }, index) => {
		const name = nameOf(hook);
		if (isDisabled(doc)) return `${name} was disabled${causes[index]}`;
		if (keep.some((webhook) => webhook.hook === hook)) return `${name} was registered twice`;
		const wasChanged = create.some((wanted) => wanted.hook === hook);
		return wasChanged ? `${name} had been changed` : `${name} was also registered`;
	});
	for (const { hook } of create) {
		const isThere = webhooks.some((webhook) => webhook.hook === hook);
		if (!isThere) words.push(`${nameOf(hook)} was no longer registered`);
	}
	return [...new Set(words)].join(', ');
}

async function whyOff(pbx: Pbx, { id, doc }: OwnWebhook): Promise<string> {
	const reason = asText(doc.disable_reason)?.slice(0, MAX_REASON);
	const request = { path: ['webhooks', id, 'attempts'], timeoutMs: ATTEMPTS_TRY_MS };
	const attempts = await Promise.race([
		readList(pbx, request).catch(() => []),
		sleep(ATTEMPTS_MS).then(() => []),
	]);
	const failure = failureWords(summarize(pbx.withoutSecrets(attempts)));
	const all = [reason, failure].filter((one) => one !== undefined);
	return all.length === 0 ? '' : ` (${all.join('; ')})`;
}

function nameOf(hook: PbxHook | undefined): string {
	return EVENTS.find((row) => row.hook === hook)?.name ?? 'an unknown event';
}
