import type { Settings } from '../model/settings';
import type { Query } from './schemas';

const CURSOR = /^g2wAAAA(\d+)$/;
const cursorAt = (place: number): string => `g2wAAAA${place}`;

/** The fields of a page, next to the envelope. */
type PageNotes = { page_size?: number; start_key?: string; next_start_key?: string };

/**
 * Returns the page of a list that a query asks for. Paging isn't in the contract (§4), so it is a setting. An unknown
 * cursor starts over.
 */
export function cut<T>(
	items: T[],
	query: Query,
	{ page_size: usual }: Settings,
): { items: T[]; notes: PageNotes } {
	if (usual === 0 || query.paginate === 'false') return { items, notes: {} };
	const wanted = Number(query.page_size);
	const [, start] = CURSOR.exec(String(query.start_key ?? '')) ?? [];
	const first = Number(start ?? 0);
	const end = first + (Number.isInteger(wanted) && wanted > 0 ? wanted : usual);
	const shown = items.slice(first, end);
	return {
		items: shown,
		notes: {
			page_size: shown.length,
			...(start === undefined ? {} : { start_key: cursorAt(first) }),
			...(end < items.length ? { next_start_key: cursorAt(end) } : {}),
		},
	};
}
