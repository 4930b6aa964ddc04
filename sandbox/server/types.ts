import type { Static, TSchema } from '@sinclair/typebox';
import type {
	FastifyBaseLogger,
	FastifyInstance,
	FastifyTypeProvider,
	RawReplyDefaultExpression,
	RawRequestDefaultExpression,
	RawServerDefault,
} from 'fastify';
import type { Account } from '../model/account';
import type { Fault } from '../faults/schema';

/** Derives fastify's types from TypeBox schemas. */
interface SchemaTypes extends FastifyTypeProvider {
	validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
}

/** The HTTP server, with handlers typed by their schemas. */
export type App = FastifyInstance<
	RawServerDefault,
	RawRequestDefaultExpression,
	RawReplyDefaultExpression,
	FastifyBaseLogger,
	SchemaTypes
>;

declare module 'fastify' {
	interface FastifyRequest {
		/** The account of the token, set on every route of the PBX side except the login. */
		account: Account | null;
		/** The token of the request, empty if there is none. */
		token: string;
		/** Faults that affected this request. */
		faults: Fault[] | null;
	}
}
