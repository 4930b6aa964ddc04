import { Type } from '@sinclair/typebox';
import type { Pbx } from '../model/pbx';
import { shown } from '../model/logs';
import { omit } from '../model/omit';
import type { App } from '../server/types';

const anyOf = Type.Record(Type.String(), Type.String());

type Wanted = Record<string, string>;

/** Filters entries by the values of a query. `limit` keeps the newest. */
function select<T extends object>(entries: T[], query: Wanted): T[] {
	const { limit } = query;
	const pairs = Object.entries(omit(query, 'limit', 'brief'));
	const found = entries.filter((entry) =>
		pairs.every(([name, value]) => String(entry[name as keyof T]) === value),
	);
	return limit === undefined ? found : found.slice(-Number(limit));
}

/** Adds the logs of PBX requests, deliveries, and routing requests. */
export function logRoutes(app: App, pbx: Pbx): void {
	const { requests, deliveries, routing } = pbx;

	app.get('/requests', { schema: { querystring: anyOf } }, async (request) => {
		const found = select(requests.list().map(shown), request.query);
		return { count: found.length, counters: requests.counters(), requests: found };
	});

	app.get('/deliveries', { schema: { querystring: anyOf } }, async (request) => {
		const found = select(deliveries.list(), request.query);
		const shown = 'brief' in request.query ? found.map((entry) => omit(entry, 'payload')) : found;
		return { count: shown.length, counters: deliveries.counters(), deliveries: shown };
	});

	app.get('/routing', { schema: { querystring: anyOf } }, async (request) => {
		const found = select(routing.list(), request.query);
		return { count: found.length, routing: found };
	});

	for (const [name, log] of Object.entries({ requests, deliveries, routing })) {
		app.delete(`/${name}`, async () => {
			log.clear();
			return { status: 'ok' };
		});
	}
}
