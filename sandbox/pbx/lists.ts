import type { FastifyRequest } from 'fastify';
import type { Pbx } from '../model/pbx';
import { omit } from '../model/util';

/** Any query. Values are strings, or arrays if a name repeats. */
export type Query = Record<string, unknown>;

export interface Asked {
	Params: { account_id: string; id: string };
	Querystring: Query;
}

/** Wraps data in the envelope of §2.1. */
export const envelope = <T>(request: FastifyRequest, data: T, revision: number) => ({
	data,
	revision: String(revision),
	request_id: request.id,
	status: 'success',
	auth_token: request.token,
});

/** Returns the fields around every response of a stock Kazoo. */
const notesOf = ({ id }: FastifyRequest) => ({
	version: '4.0.0',
	timestamp: new Date().toISOString().replace(/\.\d+/, ''),
	node: 'sandbox-node',
	request_id: id,
});

type Payload = Record<string, unknown>;

/** Wraps a response's body in the envelope of a stock Kazoo, which comes after CDRs, with sizes as text: it streams them. */
export function inEnvelope(request: FastifyRequest, payload: Payload): Payload {
	const { data } = payload;
	const notes = notesOf(request);
	const whole: Payload = { ...notes, tokens: { consumed: 1, remaining: 99 }, ...payload };
	if (!Array.isArray(data)) return whole;
	if (data.length === 0) return omit(whole, 'revision');
	if (!request.routeOptions.url?.endsWith('/cdrs')) return whole;
	const rest = omit<Payload, string>({ ...notes, ...payload }, 'data', 'revision');
	return { data, start_key: 'g2wAAAA', ...rest, page_size: String(data.length) };
}

const CURSOR = /^g2wAAAA(\d+)$/;
const cursorAt = (place: number): string => `g2wAAAA${place}`;

/**
 * Responds with a list: the page that the query asks for, each item as `show` returns it. Paging isn't in the contract
 * (§4), so it is a setting. An unknown cursor starts over.
 */
export function listed<T>(
	{ settings: { page_size: usual } }: Pbx,
	request: FastifyRequest,
	items: T[],
	{ revision = 1, show = (item: T): unknown => item } = {},
): object {
	const query = request.query as Query;
	if (usual === 0 || query.paginate === 'false')
		return envelope(request, items.map(show), revision);
	const wanted = Number(query.page_size);
	const [, start] = CURSOR.exec(String(query.start_key ?? '')) ?? [];
	const first = Number(start ?? 0);
	const end = first + (Number.isInteger(wanted) && wanted > 0 ? wanted : usual);
	const page = items.slice(first, end).map(show);
	return {
		...envelope(request, page, revision),
		page_size: page.length,
		...(start === undefined ? {} : { start_key: cursorAt(first) }),
		...(end < items.length ? { next_start_key: cursorAt(end) } : {}),
	};
}

const PREFIX = 'filter_';

/** Finds a field by its name in any case: `caller_id_number` means `CALLER_ID_NUMBER`. */
function fieldIn(item: unknown, name: string): unknown {
	const entries = Object.entries(Object(item) as object);
	const isNamed = ([key]: [string, unknown]) => key.toLowerCase() === name.toLowerCase();
	return (entries.find(([key]) => key === name) ?? entries.find(isNamed))?.[1];
}

export type Equals = (value: unknown, wanted: string) => boolean;

const sameText: Equals = (value, wanted) => value !== undefined && String(value) === wanted;

/**
 * Whether an item passes every `filter_<field>` of a query, with dots into nested fields (§4.3). An array passes if one
 * of its items does.
 */
export const passes = (item: object, { query }: { query: unknown }, equals = sameText): boolean =>
	Object.entries(query as Query)
		.filter(([name]) => name.startsWith(PREFIX))
		.every(([name, wanted]) => {
			const value = name.slice(PREFIX.length).split('.').reduce<unknown>(fieldIn, item);
			const values: unknown[] = Array.isArray(value) ? value : [value];
			return values.some((one) => equals(one, String(wanted)));
		});
