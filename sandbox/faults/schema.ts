import { Type, type Static } from '@sinclair/typebox';
import { oneOf } from '../model/schema';

/** Each kind of fault and its description, as `sandbox fault --help` shows it. */
export const FAULT_KINDS = {
	latency:
		'waits `seconds` before acting on the request; without them, never acts or responds, and the connection stays open',
	drop: 'closes the connection `before`, `during`, or `after` acting on the request (`when`): during the response, after `bytes` of it (half by default)',
	status:
		'responds with `status`, `headers`, and `body` (JSON or text, `null` for none, the default error body if missing; `{token}` stands for the token of the request), `before` or `after` acting on the request (`when`)',
	'delivery-duplicate': 'sends the event twice',
	'delivery-reorder': 'sends the event after the next one of the same call',
	'delivery-lose': 'does not send the event',
} as const;

export const faultSchema = Type.Object(
	{
		kind: oneOf(Object.keys(FAULT_KINDS) as Array<keyof typeof FAULT_KINDS>),
		method: Type.Optional(Type.String({ pattern: '^[A-Za-z]+$' })),
		path: Type.Optional(Type.String({ minLength: 1 })),
		event: Type.Optional(Type.String()),
		leg: Type.Optional(oneOf(['inbound', 'outbound'])),
		times: Type.Optional(Type.Integer({ minimum: 1 })),
		skip: Type.Optional(Type.Integer({ minimum: 0 })),
		seconds: Type.Optional(Type.Number({ minimum: 0 })),
		when: Type.Optional(oneOf(['before', 'during', 'after'])),
		status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
		headers: Type.Optional(Type.Record(Type.String(), Type.String())),
		body: Type.Optional(Type.Unknown()),
		bytes: Type.Optional(Type.Integer({ minimum: 0 })),
	},
	{ additionalProperties: false },
);

export type FaultOrder = Static<typeof faultSchema>;

export interface Fault extends FaultOrder {
	id: string;
	hits: number;
	/** How many times it matched, including skipped ones. */
	seen: number;
}
