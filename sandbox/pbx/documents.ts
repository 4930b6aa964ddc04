import type { TSchema } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Account } from '../model/account';
import type { Documents } from '../model/documents';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import type { Callflow, Webhook } from '../model/types';
import { newId, omit } from '../model/util';
import { ApiError, notFound } from '../server/errors';
import type { App } from '../server/types';
import { accountOf } from './auth';
import { envelope, listed, passes, type Asked } from './lists';

type Document = { id: string } & Partial<
	Pick<Callflow & Webhook, 'featurecode' | 'disable_reason'>
>;

/** Callflows or webhooks. */
interface Kind<T extends Document, Body> {
	name: 'callflows' | 'webhooks';
	schema: TSchema;
	/** Paths for creation beside the list's own. */
	creation?: string[];
	storeOf: (account: Account) => Documents<T>;
	/** Builds a document from a body, which replaces it as a whole. Throws 400 with the name of an invalid field. */
	make: (id: string, body: Body, account: Account, settings: Settings) => T;
	item: (document: T, settings: Settings) => object;
	/** Whether a query finds a document. */
	isFound?: (document: T, request: FastifyRequest, settings: Settings) => boolean;
	/** The fields that a stock Kazoo adds when asked for a document. */
	more?: object;
}

export function documentOf<T extends { id: string }>(
	store: Documents<T>,
	{ params }: FastifyRequest,
): T {
	const { id } = params as Asked['Params'];
	const document = store.get(id);
	if (document) return document;
	throw notFound(id);
}

/** Adds the rows of §4.2 or §4.4 for a kind of documents: list, create, get, change, and delete. */
export function documentRoutes<T extends Document, Body>(
	app: App,
	pbx: Pbx,
	{ name, schema, creation = [], storeOf, make, item, isFound, more }: Kind<T, Body>,
): void {
	const all = `/accounts/:account_id/${name}`;
	const one = `${all}/:id`;
	const body = { schema: { body: schema } };
	const storeFor = (request: FastifyRequest) => storeOf(accountOf(request));
	/** Responds with a document alone, where a stock Kazoo omits fields of its list, and adds others. */
	const respond = (request: FastifyRequest, document: T, extra?: object) => {
		const isKazoo = pbx.settings.profile === 'kazoo';
		const shown = isKazoo
			? { ...extra, ...omit(document, 'featurecode', 'disable_reason') }
			: document;
		return envelope(request, shown, storeFor(request).revision);
	};
	/** Stores the document in a body, under an ID. Returns the response. */
	const put = (request: FastifyRequest, id: string) => {
		const { data } = request.body as { data: Body };
		const document = make(id, data, accountOf(request), pbx.settings);
		storeFor(request).put(document);
		return respond(request, document);
	};

	app.get<Asked>(all, async (request) => {
		const { settings } = pbx;
		const store = storeFor(request);
		const isAsked = (document: T) =>
			passes(document, request) && isFound?.(document, request, settings) !== false;
		const show = (document: T) => item(document, settings);
		const found = store.all().filter(isAsked);
		return listed(pbx, request, found, { revision: store.revision, show });
	});

	for (const path of [all, ...creation])
		app.put<Asked>(path, body, async (request, reply) => {
			// §4.2 note 2; a stock Kazoo creates nothing outside an account.
			if (pbx.settings.profile === 'kazoo' && request.params.account_id === undefined)
				throw new ApiError(500, {}, 'init failed');
			return await reply.code(201).send(put(request, newId()));
		});

	app.get<Asked>(one, async (request) =>
		respond(request, documentOf(storeFor(request), request), more),
	);

	app.post<Asked>(one, body, async (request) =>
		put(request, documentOf(storeFor(request), request).id),
	);

	app.delete<Asked>(one, async (request) => {
		const document = documentOf(storeFor(request), request);
		storeFor(request).remove(document.id);
		return respond(request, document, { _read_only: { deleted: true } });
	});
}
