import type { FastifyRequest } from 'fastify';
import type { Settings } from '../model/settings';
import type { Query } from './schemas';

/** The page that a request asks for. Paging is not in the contract (§4): it is a switch. */
interface Page {
	/** Greatest number of items; 0 for all. */
	size: number;
	start: number;
	/** Whether the cursor stays where it is, as a fault. */
	stuck: boolean;
}

const CURSOR = /^g2wAAAA(\d+)$/;
const cursorAt = (place: number): string => `g2wAAAA${place}`;

/** Reads the page from a query, the settings and the faults. An unknown cursor starts anew. */
export function pageOf(request: FastifyRequest, query: Query, settings: Settings): Page {
	const fault = request.faults?.find(({ kind }) => kind === 'repeat-cursor');
	const size = fault ? (fault.page_size ?? 1) : settings.page_size;
	const start = Number(CURSOR.exec(String(query.start_key ?? ''))?.[1] ?? 0);
	const wanted = Number(query.page_size);
	const isWanted = size > 0 && Number.isInteger(wanted) && wanted > 0;
	return {
		size: query.paginate === 'false' ? 0 : isWanted ? Math.min(size, wanted) : size,
		start,
		stuck: fault !== undefined,
	};
}

/** What a paged list says about itself, beside the envelope. */
type PageNotes = { page_size?: number; start_key?: string; next_start_key?: string };

/** Gives the notes of a page of `count` items, after which there is more or not. */
function pageNotes(page: Page, count: number, more: boolean): PageNotes {
	if (page.size === 0) return {};
	const next = page.stuck ? cursorAt(page.size) : cursorAt(page.start + count);
	return {
		page_size: count,
		...(page.start > 0 ? { start_key: cursorAt(page.start) } : {}),
		...(more || page.stuck ? { next_start_key: next } : {}),
	};
}

/** Cuts a page out of a list. */
export function cut<T>(items: T[], page: Page): { items: T[]; notes: PageNotes } {
	if (page.size === 0) return { items, notes: {} };
	const cutOut = items.slice(page.start, page.start + page.size);
	const more = page.start + page.size < items.length;
	return { items: cutOut, notes: pageNotes(page, cutOut.length, more) };
}
