import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { oneOf } from '../model/schema';
import { ALL_HOOKS, HOOKS, type FlowNode, type Webhook } from '../model/types';

/** A body whose payload is wrapped in `data` (§1). */
const wrapped = <T extends TSchema>(payload: T) => Type.Object({ data: payload });

/** Payload of the login (§4.1). */
export const loginSchema = wrapped(
	Type.Object({ login: Type.String(), password: Type.String(), realm: Type.String() }),
);

/** Payload of a stock Kazoo's login: a hash, and the account's realm or name. */
export const kazooLoginSchema = wrapped(
	Type.Object({
		credentials: Type.String({ minLength: 1 }),
		method: Type.Optional(oneOf(['md5'])),
		realm: Type.Optional(Type.String()),
		account_name: Type.Optional(Type.String()),
	}),
);

const flowSchema = Type.Unsafe<FlowNode>(
	Type.Recursive(
		(Self) =>
			Type.Object({
				module: Type.String({ minLength: 1 }),
				data: Type.Object({}, { additionalProperties: true }),
				children: Type.Record(Type.String(), Self),
				stick_node: Type.Optional(Type.Boolean()),
			}),
		{ $id: 'flow' },
	),
);

/** Payload of creating or changing a callflow (§4.2). */
export const callflowSchema = wrapped(
	Type.Object({
		name: Type.Optional(Type.String()),
		numbers: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 36 }))),
		patterns: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
		flow: flowSchema,
		fakenumber: Type.Optional(Type.Boolean()),
	}),
);

export type CallflowBody = Static<typeof callflowSchema>['data'];

/** Payload of creating or changing a webhook (§2.5, §4.4). */
export const webhookSchema = wrapped(
	Type.Object({
		name: Type.String({ minLength: 1 }),
		uri: Type.String({ pattern: '^https?://[^\\s]+$' }),
		http_verb: oneOf(['post', 'put', 'get']),
		hook: oneOf<Webhook['hook']>([...HOOKS, ALL_HOOKS]),
		retries: Type.Integer({ minimum: 0 }),
		custom_data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
		enabled: Type.Optional(Type.Boolean()),
	}),
);

export type WebhookBody = Static<typeof webhookSchema>['data'];
