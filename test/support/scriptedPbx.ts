import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../tools/listen';
import type { Tls } from './certificate';

/** A request as the scripted PBX received it. */
export interface SeenRequest {
	method: string;
	path: string;
	query: URLSearchParams;
	headers: IncomingHttpHeaders;
	/** Parsed JSON, else the text, else undefined. */
	body: unknown;
}

/** A scripted response. `raw` takes over for faults that plain responses can't express. */
export interface ScriptedAnswer {
	status?: number;
	/** An object is sent as JSON, a string unchanged. */
	body?: unknown;
	headers?: Record<string, string>;
	delayMs?: number;
	raw?: (response: ServerResponse) => void;
}

export type Script = (request: SeenRequest) => ScriptedAnswer | undefined;

/** A PBX whose every response the test writes. For a well-behaved PBX, use the sandbox. */
export type ScriptedPbx = Awaited<ReturnType<typeof startScriptedPbx>>;

export const ACCOUNT_ID = 'acc0123456789abcdef0123456789abcd';

/** The login response of §5.2 in its full form. */
export function loginAnswer(token = 'token-1'): ScriptedAnswer {
	const known = { status: 'success', auth_token: token, error_code: '0' };
	const data = { ...known, error_message: 'OK', account_id: ACCOUNT_ID };
	return { status: 201, body: { data, ...known, ACCOUNT_ID } };
}

/**
 * Starts a PBX on a free port of 127.0.0.1, with a certificate over HTTPS. Where the script returns undefined, it sends
 * the login response for `user_auth` and an empty list otherwise.
 */
export async function startScriptedPbx(script: Script = () => undefined, tls?: Tls) {
	const requests: SeenRequest[] = [];
	const take = async (incoming: IncomingMessage, response: ServerResponse) => {
		const bytes = await buffer(incoming).catch(() => undefined);
		// The sender has gone.
		if (!bytes) return;
		const body = parse(bytes.toString());
		const { method = '', headers } = incoming;
		const { pathname: path, searchParams: query } = new URL(incoming.url ?? '/', 'http://pbx.test');
		const request: SeenRequest = { method, path, query, headers, body };
		requests.push(request);
		const usual = path.endsWith('/user_auth')
			? loginAnswer()
			: { body: { data: [], status: 'success' } };
		const answer = script(request) ?? usual;
		setTimeout(() => send(response, answer), answer.delayMs ?? 0);
	};
	const accept = (...exchange: Parameters<typeof take>) => void take(...exchange);
	const { url, close } = await listen(tls ? createTlsServer(tls, accept) : createServer(accept));
	return {
		url: tls ? url.replace('http:', 'https:') : url,
		close,
		requests,
		/** Requests of one method and path ending, in order. */
		seen: (method: string, pathEnd: string) =>
			requests.filter((one) => one.method === method && one.path.endsWith(pathEnd)),
	};
}

/** Starts such a PBX for a file of tests, and forgets its requests before each of them. */
export function useScriptedPbx(script: Script, tls?: Promise<Tls>): ScriptedPbx {
	const pbx = { requests: [] as SeenRequest[] } as ScriptedPbx;
	beforeAll(async () => void Object.assign(pbx, await startScriptedPbx(script, await tls)));
	beforeEach(() => void (pbx.requests.length = 0));
	afterAll(async () => await pbx.close());
	return pbx;
}

function parse(text: string): unknown {
	if (text === '') return undefined;
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}

export function send(response: ServerResponse, answer: ScriptedAnswer): void {
	if (answer.raw) return answer.raw(response);
	const isText = typeof answer.body === 'string';
	response.writeHead(answer.status ?? 200, {
		'content-type': isText ? 'text/html' : 'application/json',
		...answer.headers,
	});
	response.end(isText ? (answer.body as string) : JSON.stringify(answer.body ?? {}));
}
