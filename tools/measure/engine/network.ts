import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';

/** The part of n8n's HTTP client, axios, that is used here. */
export interface Axios {
	defaults: { adapter?: unknown };
	getUri(config: Config): string;
	AxiosError: new (message: string, code: string, ...rest: unknown[]) => Error;
	CanceledError: new (message: undefined, ...rest: unknown[]) => Error;
	AxiosHeaders: new (headers: Record<string, string>) => object;
}

interface Config {
	method?: string;
	headers: { toJSON(): object };
	data?: unknown;
	signal?: AbortSignal;
	responseType?: string;
	validateStatus?: (status: number) => boolean;
}

/** A request as n8n's HTTP client sends it. */
export interface SentRequest {
	method: string;
	url: string;
	headers: Record<string, unknown>;
	body: unknown;
}

/** A response. Sends text and bytes as is, and anything else as JSON. `fault` is a network error instead, such as `ECONNREFUSED`. */
export interface Reply {
	status?: number;
	headers?: Record<string, string>;
	body?: unknown;
	delayMs?: number;
	fault?: string;
}

/** Replaces the network below n8n's own HTTP client. Without sockets, runs are fast and repeatable. */
export function replaceNetwork(axios: Axios, respond: (request: SentRequest) => Reply): void {
	axios.defaults.adapter = async (config: Config) => {
		const url = axios.getUri(config);
		const method = (config.method ?? 'get').toUpperCase();
		const headers = config.headers.toJSON() as Record<string, unknown>;
		const reply = respond({ method, url, headers, body: config.data });
		await arrival(axios, config, reply.delayMs ?? 0);
		if (reply.fault) throw new axios.AxiosError(`connect ${reply.fault}`, reply.fault, config, {});
		const response = responseOf(axios, config, reply);
		const isFine = config.validateStatus?.(response.status) ?? true;
		if (isFine) return response;
		const code = response.status < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE';
		const message = `Request failed with status code ${response.status}`;
		throw new axios.AxiosError(message, code, config, {}, response);
	};
}

async function arrival(axios: Axios, config: Config, delayMs: number) {
	const { signal } = config;
	await new Promise<void>((resolve, reject) => {
		const cancel = () => reject(new axios.CanceledError(undefined, config, {}));
		if (signal?.aborted) return cancel();
		signal?.addEventListener('abort', cancel);
		if (delayMs === 0) setImmediate(resolve);
		else setTimeout(resolve, delayMs);
	});
}

function responseOf(
	axios: Axios,
	config: Config,
	{ status = 200, headers = {}, body = {} }: Reply,
) {
	const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
	const bytes = Buffer.isBuffer(body)
		? body
		: Buffer.from(isRaw ? (body as string) : JSON.stringify(body));
	const all = { 'content-type': isRaw ? 'text/html' : 'application/json', ...headers };
	const forms: Record<string, () => unknown> = {
		stream: () => Readable.from([bytes], { objectMode: false }),
		arraybuffer: () => bytes,
	};
	return {
		data: (forms[config.responseType ?? ''] ?? (() => bytes.toString()))(),
		status,
		statusText: STATUS_CODES[status] ?? '',
		headers: new axios.AxiosHeaders(all),
		config,
		request: {},
	};
}
