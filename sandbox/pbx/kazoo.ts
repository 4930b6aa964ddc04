import type { FastifyRequest } from 'fastify';
import { omit } from '../model/omit';
import type { Settings } from '../model/settings';
import type { Callflow, FlowNode, Webhook } from '../model/types';

/** A stock Kazoo's default fields of a webhook. */
export const WEBHOOK_DEFAULTS = { format: 'form-data', include_internal_legs: true };

const modulesIn = ({ module, children }: FlowNode): string[] => [
	...new Set([module, ...Object.values(children).flatMap(modulesIn)]),
];

/** Adds a stock Kazoo's fields to an item of the callflow list (§4.2). */
export const listedCallflow = <T extends object>(
	shown: T,
	{ featurecode, flow, name }: Callflow,
) => ({
	...shown,
	featurecode: featurecode && { name },
	modules: modulesIn(flow),
	flags: [],
});

/** A stock Kazoo's addition to a document it has deleted. */
export const DELETED = { _read_only: { deleted: true } };

type Document = Partial<Pick<Callflow, 'featurecode'> & Pick<Webhook, 'disable_reason'>>;

/** Returns a document as the PBX shows it alone. A stock Kazoo omits list-only fields, and adds `extra`. */
export const shownAlone = <T extends Document>(
	{ profile }: Settings,
	document: T,
	extra: object = {},
): object =>
	profile !== 'kazoo' ? document : { ...extra, ...omit(document, 'featurecode', 'disable_reason') };

/** A login's response, with the token at the top level only. */
export const loginData = (accountId: string, ownerId: string, name: string) => ({
	owner_id: ownerId,
	account_id: accountId,
	ui_config: {},
	capabilities: { voicemail: { transcription: { default: false, available: false } } },
	is_master_account: false,
	is_reseller: false,
	reseller_id: accountId,
	cluster_id: 'sandbox',
	account_name: name,
	language: 'en-US',
	apps: [],
});

type Payload = Record<string, unknown>;

/** Returns the envelope fields of every response. */
const notesOf = ({ id }: FastifyRequest) => ({
	version: '4.0.0',
	timestamp: new Date().toISOString().replace(/\.\d+/, ''),
	node: 'sandbox-node',
	request_id: id,
});

const TOKENS = { tokens: { consumed: 1, remaining: 99 } };

/** Wraps a response's body in the envelope of a stock Kazoo. */
export function inEnvelope(request: FastifyRequest, payload: Payload): Payload {
	const { data } = payload;
	const whole: Payload = { ...notesOf(request), ...TOKENS, ...payload };
	if (!Array.isArray(data)) return whole;
	if (data.length === 0) return omit(whole, 'revision');
	const isStreamed = request.routeOptions.url?.endsWith('/cdrs');
	return isStreamed ? streamed({ ...notesOf(request), ...payload }) : whole;
}

/** Turns sizes into text: a stock Kazoo streams CDRs, with the envelope after them. */
const streamed = (payload: Payload): Payload => ({
	data: payload.data,
	start_key: 'g2wAAAA',
	...omit(payload, 'data', 'revision'),
	page_size: String((payload.data as unknown[]).length),
});
