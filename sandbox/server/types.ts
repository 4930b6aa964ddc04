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

/** Lets fastify know the types that TypeBox schemas describe. */
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
		/** The account of the token; set on every route of the PBX side but the login. */
		account: Account | null;
		/** The token of the request, empty where there is none. */
		token: string;
		/** Faults that struck this request, if any. */
		faults: Fault[] | null;
		/** Id of the webhook that the request named or made. */
		webhookId: string;
	}
}
