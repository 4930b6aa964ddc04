import type { IDataObject } from 'n8n-workflow';
import type { Reply, SentRequest } from './network';

const ACCOUNT_ID = 'acc0123456789abcdef0123456789abcd';
export const PBX_URL = 'https://pbx.example';

/** How this PBX differs from the contract's examples. */
export interface Quirks {
	/** Whether to behave like a stock Kazoo: cursors, names in lower case, login data without the token. */
	isKazoo?: boolean;
	/** The number of entries per page. */
	pageSize?: number;
	/** Returns a response that replaces the normal one, if any. */
	odd?: (request: SentRequest, count: number) => Reply | undefined;
	/** The response of n8n's own URLs. */
	ownAddress?: Reply;
}

/** An in-memory PBX that implements §4 of the contract, and records each request. */
export class ScriptedPbx {
	readonly callflows = new Map<string, IDataObject>();
	readonly webhooks = new Map<string, IDataObject>();
	records: IDataObject[] = [];
	attempts: IDataObject[] = [];
	requests: SentRequest[] = [];
	quirks: Quirks = {};
	private created = 0;

	/** Resets to an empty PBX with these quirks. */
	reset(quirks: Quirks = {}): void {
		for (const store of [this.callflows, this.webhooks]) store.clear();
		Object.assign(this, { records: [], attempts: [], requests: [], quirks, created: 0 });
	}

	/** Returns the requests since the last call. */
	takeRequests(): SentRequest[] {
		return this.requests.splice(0);
	}

	/** Responds to a request to the PBX, or to n8n's own URL. */
	respond(request: SentRequest): Reply {
		this.requests.push(request);
		const odd = this.quirks.odd?.(request, this.requests.length);
		if (odd) return odd;
		if (!request.url.startsWith(PBX_URL)) return this.quirks.ownAddress ?? { status: 401 };
		return this.typical(request);
	}

	private typical(request: SentRequest): Reply {
		const { pathname, searchParams } = new URL(request.url);
		if (pathname.endsWith('/user_auth')) return this.login();
		if (pathname.includes('/recorded/')) return recordingOf(pathname);
		const [, kind = '', id = ''] = /(callflows|webhooks|cdrs)(?:\/(.*))?$/.exec(pathname) ?? [];
		if (kind === 'cdrs') return this.list(this.recordsIn(searchParams), searchParams);
		if (id.endsWith('attempts')) return this.list(this.attempts, searchParams);
		return this.document(kind === 'webhooks' ? this.webhooks : this.callflows, id, request);
	}

	private document(store: Map<string, IDataObject>, id: string, request: SentRequest): Reply {
		if (id !== '') return this.single(store, id, request);
		if (request.method === 'PUT') return this.create(store, request);
		const { searchParams } = new URL(request.url);
		return this.list(listed([...store.values()], searchParams), searchParams);
	}

	private login(): Reply {
		const login = { auth_token: `token-${++this.created}`, account_id: ACCOUNT_ID };
		const { auth_token, ...data } = login;
		if (this.quirks.isKazoo) return { status: 201, body: { auth_token, data, status: 'success' } };
		return {
			status: 201,
			body: { data: { ...login, error_code: '0' }, ...login, error_code: '0' },
		};
	}

	private single(store: Map<string, IDataObject>, id: string, request: SentRequest): Reply {
		const found = store.get(decodeURIComponent(id));
		if (!found)
			return {
				status: 404,
				body: { status: 'error', message: 'bad identifier', data: { cause: id } },
			};
		if (request.method === 'DELETE') store.delete(id);
		if (request.method === 'POST') store.set(id, { ...contentOf(request), id });
		return { body: { data: store.get(id) ?? found, status: 'success' } };
	}

	private create(store: Map<string, IDataObject>, request: SentRequest): Reply {
		const document = { ...contentOf(request), id: `made-${++this.created}` };
		store.set(document.id, document);
		return { status: 201, body: { data: document, status: 'success' } };
	}

	private recordsIn(query: URLSearchParams): IDataObject[] {
		const [from, to] = ['created_from', 'created_to'].map((name) => Number(query.get(name) ?? NaN));
		const filters = [...query].filter(([name]) => name.startsWith('filter_'));
		return this.records.filter((record) => {
			const at = Number(record.TIMESTAMP ?? record.timestamp);
			if (at < (from ?? 0) || at > (to ?? Infinity)) return false;
			return filters.every(([name, value]) => {
				const field = name.slice('filter_'.length);
				return String(record[field.toUpperCase()] ?? record[field]) === value;
			});
		});
	}

	private list(all: IDataObject[], query: URLSearchParams): Reply {
		const { pageSize = Infinity } = this.quirks;
		const start = Number(query.get('start_key') ?? 0);
		const next = start + pageSize < all.length ? { next_start_key: String(start + pageSize) } : {};
		return { body: { data: all.slice(start, start + pageSize), status: 'success', ...next } };
	}
}

function listed(all: IDataObject[], query: URLSearchParams): IDataObject[] {
	const number = query.get('filter_numbers');
	const found = all.filter(
		({ numbers }) => number === null || (numbers as unknown[])?.includes(number),
	);
	return found.map(({ flow: _flow, custom_data: _data, ...shown }) => shown as IDataObject);
}

function contentOf({ body }: SentRequest): IDataObject {
	const parsed = (typeof body === 'string' ? JSON.parse(body) : body) as { data?: IDataObject };
	return parsed?.data ?? {};
}

function recordingOf(pathname: string): Reply {
	if (pathname.includes('missing')) return { status: 404, body: { message: 'not found' } };
	return { headers: { 'content-type': 'audio/mpeg' }, body: Buffer.from(`ID3 ${pathname}`) };
}
