import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import type { Cdr } from '../model/types';
import { invalid, ApiError } from '../server/errors';
import type { App } from '../server/types';
import { accountOf } from './auth';
import { listedRecord, storedRecord } from './kazoo-cdrs';
import { listed, passes, type Asked, type Equals, type Query } from './lists';

/** Filters that need a range (§4.3 rule 3). */
const NEED_RANGE = ['filter_bridge_id', 'filter_caller_id_number'];

/** The longest range in seconds: 31 days in the field, and a little more on a stock Kazoo. */
const MAX_RANGE = { contract: Infinity, field: 2_678_400, kazoo: 2_682_000 };

function bound(query: Query, name: string, fallback: number): number {
	const text = query[name];
	if (text === undefined) return fallback;
	if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
	throw invalid(name, 'type', 'must be a whole number of Gregorian seconds');
}

/** Reads the range of a query in Gregorian seconds. Throws 400 if it breaks §4.3. */
function rangeOf(query: Query, settings: Settings): { from: number; to: number } {
	for (const name of Object.keys(query)) {
		const isBare = query.created_from === undefined || query.created_to === undefined;
		if (isBare && NEED_RANGE.includes(name.toLowerCase())) {
			throw invalid(name, 'required', 'works only together with created_from and created_to');
		}
	}
	const from = bound(query, 'created_from', 0);
	const to = bound(query, 'created_to', Number.MAX_SAFE_INTEGER - 1);
	const longest = MAX_RANGE[settings.profile];
	if (to < from) throw invalid('created_from', 'date_range', 'must not be after created_to');
	if (query.created_from !== undefined && to - from > longest) {
		const message = `created_to ${to} is more than ${longest} seconds from created_from ${from}`;
		throw invalid('created_from', 'date_range', message, { cause: to });
	}
	return { from, to };
}

const userPart = (uri: string): string => uri.replace(/^sips?:/, '').split('@')[0] ?? '';

/** Returns a string comparison that also matches SIP URIs by their user part, unlike in the field. */
const equalsBy = ({ profile }: Settings): Equals => {
	if (profile === 'field') return (value, wanted) => String(value) === wanted;
	return (value, wanted) =>
		String(value) === wanted ||
		(typeof value === 'string' && value.startsWith('sip') && userPart(value) === wanted);
};

/** Adds the row of §4.3: the list of CDRs, newest first. */
export function cdrRoutes(app: App, pbx: Pbx): void {
	app.get<Asked>('/accounts/:account_id/cdrs', async (request) => {
		const account = accountOf(request);
		const { cdrs } = account;
		const isKazoo = pbx.settings.profile === 'kazoo';
		if (isKazoo && request.query.page_size === '0') throw new ApiError(404);
		const { from, to } = rangeOf(request.query, pbx.settings);
		const equals = equalsBy(pbx.settings);
		const stored = (cdr: Cdr) => (isKazoo ? storedRecord(cdr, cdrs) : cdr);
		const found = cdrs.range(from, to).filter((cdr) => passes(stored(cdr), request, equals));
		const show = (cdr: Cdr) => (isKazoo ? listedRecord(cdr, account) : cdr);
		return listed(pbx, request, found, { revision: cdrs.revision, show });
	});
}
