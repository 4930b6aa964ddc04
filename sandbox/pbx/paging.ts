import type { FastifyRequest } from 'fastify';
import type { Settings } from '../model/settings';
import type { Query } from './schemas';

/** The requested page. Paging isn't in the contract (§4), so it is a setting. */
interface Page {
	/** Maximum number of items. 0 for all. */
	size: number;
	/** Position of the first item, or its key. Empty for the first page. */
	start: string;
	/** Whether the cursor stays in place, as a fault. */
	stuck: boolean;
}

const CURSOR = /^g2wAAAA(\d+)$/;
const cursorAt = (place: number | string): string => `g2wAAAA${place}`;

/** Reads the page from a query, the settings, and the faults. An unknown cursor starts over. */
export function pageOf(request: FastifyRequest, query: Query, settings: Settings): Page {
	const fault = request.faults?.find(({ kind }) => kind === 'repeat-cursor');
	const size = fault ? (fault.page_size ?? 1) : settings.page_size;
	const [, start = ''] = CURSOR.exec(String(query.start_key ?? '')) ?? [];
	const wanted = Number(query.page_size);
	const isWanted = size > 0 && Number.isInteger(wanted) && wanted > 0;
	return {
		size: query.paginate === 'false' ? 0 : isWanted && !fault ? wanted : size,
		start,
		stuck: fault !== undefined,
	};
}

/** A paged list's fields, next to the envelope. */
type PageNotes = { page_size?: number; start_key?: string; next_start_key?: string };

/** Returns the fields of a page of `count` items, with the cursor `next` if there is one. */
function pageNotes(page: Page, count: number, next: number | string | undefined): PageNotes {
	const cursor = page.stuck ? page.size : next;
	return {
		page_size: count,
		...(page.start === '' ? {} : { start_key: cursorAt(page.start) }),
		...(cursor === undefined ? {} : { next_start_key: cursorAt(cursor) }),
	};
}

/** Finds where a page starts: at its position, or at the first item with its key (in descending order). */
function startOf<T>(items: T[], { start }: Page, keyOf?: (item: T) => string): number {
	if (!keyOf || start === '') return Number(start);
	const place = items.findIndex((item) => Number(keyOf(item)) <= Number(start));
	return place < 0 ? items.length : place;
}

/** Returns a page of a list. Pages continue by position, or by `keyOf`, a key that several items can share. */
export function cut<T>(
	items: T[],
	page: Page,
	keyOf?: (item: T) => string,
): { items: T[]; notes: PageNotes } {
	if (page.size === 0) return { items, notes: {} };
	const start = startOf(items, page, keyOf);
	const end = start + page.size;
	const cutOut = items.slice(start, end);
	const [after] = items.slice(end, end + 1);
	const next = after === undefined ? undefined : (keyOf?.(after) ?? end);
	return { items: cutOut, notes: pageNotes(page, cutOut.length, next) };
}
