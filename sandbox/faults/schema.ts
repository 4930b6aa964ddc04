import { Type, type Static } from '@sinclair/typebox';
import { oneOf } from '../model/one-of';

/** What each kind of fault does; the docs are made from it. */
export const FAULT_KINDS = {
	latency: 'waits `seconds` before the request is acted on',
	silent: 'accepts the request and never answers; the connection stays open',
	drop: 'closes the connection, `when: "before"` or `"after"` the request was acted on',
	status:
		'answers `status` with `headers` and `body` (any JSON or text; `null` for none; left out: the usual error body; `{token}` in it stands for the token of the request), `when: "before"` or `"after"` the request was acted on',
	truncate:
		'cuts the answer after `bytes` (half of it when left out); with `abort` the connection breaks there',
	stall:
		'sends the headers and the first `bytes` of the body (none when left out), then nothing: the connection stays open; with `seconds` the rest follows after that time',
	drip: 'sends the body slowly but steadily: `bytes` (1000 when left out) every `seconds` (1 when left out)',
	'expire-token': 'ends the token that the request carries: the answer is 401',
	page: 'cuts the list into pages of `page_size`',
	'repeat-cursor': 'cuts the list into pages of `page_size` whose `next_start_key` never moves on',
	'webhook-disable':
		'after the request, disables the webhook it named or made, else all of the account',
	'webhook-delete':
		'after the request, deletes the webhook it named or made, else all of the account',
	'delivery-duplicate': 'sends the event twice',
	'delivery-late': 'sends the event `seconds` later, events behind it overtake',
	'delivery-reorder': 'sends the event after the next one of the same call',
	'delivery-lose': 'does not send the event at all',
} as const;

export type FaultKind = keyof typeof FAULT_KINDS;

/** A fault as it is ordered. */
export const faultSchema = Type.Object(
	{
		kind: oneOf(Object.keys(FAULT_KINDS) as FaultKind[]),
		method: Type.Optional(Type.String({ pattern: '^[A-Za-z]+$' })),
		path: Type.Optional(Type.String({ minLength: 1 })),
		event: Type.Optional(Type.String()),
		leg: Type.Optional(oneOf(['inbound', 'outbound'])),
		times: Type.Optional(Type.Integer({ minimum: 1 })),
		skip: Type.Optional(Type.Integer({ minimum: 0 })),
		probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
		seconds: Type.Optional(Type.Number({ minimum: 0 })),
		when: Type.Optional(oneOf(['before', 'after'])),
		status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
		headers: Type.Optional(Type.Record(Type.String(), Type.String())),
		body: Type.Optional(Type.Unknown()),
		bytes: Type.Optional(Type.Integer({ minimum: 0 })),
		abort: Type.Optional(Type.Boolean()),
		page_size: Type.Optional(Type.Integer({ minimum: 1 })),
	},
	{ additionalProperties: false },
);

export type FaultOrder = Static<typeof faultSchema>;

/** A fault that is switched on. */
export interface Fault extends FaultOrder {
	id: string;
	/** How often it struck. */
	hits: number;
	/** How often it was due, `skip` and `probability` included. */
	seen: number;
}
