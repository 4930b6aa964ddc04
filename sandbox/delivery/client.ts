import { Agent, interceptors, request } from 'undici';
import type { Wire } from './body';

/** The number of characters of a response's body to keep for display. */
export const SHOWN_CHARACTERS = 2000;

/** Connections to keep open per receiving host. */
const CONNECTIONS = 64;

/** The maximum number of consecutive redirects. */
const MAX_REDIRECTS = 5;

/** The response to one of the sandbox's requests, or why there is none. */
export interface HttpResponse {
	status: number | null;
	headers: Record<string, string>;
	text: string;
	error: string | null;
	ms: number;
}

/** Returns why a request failed, from the network's error code. */
function reasonOf(error: unknown): string {
	const { code, message } = Object(error) as { code?: unknown; message?: unknown };
	const text = typeof message === 'string' ? message : String(error);
	return typeof code === 'string' ? `${code}: ${text}` : text;
}

/** The sandbox's one HTTP client. It keeps connections open, with a limit per host. */
export class Client {
	private readonly agent = new Agent({
		connections: CONNECTIONS,
		pipelining: 1,
		keepAliveTimeout: 10_000,
	});

	private readonly following = this.agent.compose(
		interceptors.redirect({ maxRedirections: MAX_REDIRECTS }),
	);

	/** Sends a request and reads the response. Never throws: failures are part of the result. */
	async send(
		{ url, method, headers, body }: Wire,
		timeoutSeconds: number,
		followsRedirects = false,
	): Promise<HttpResponse> {
		const start = performance.now();
		const none = { status: null, headers: {}, text: '', error: null };
		const signal = AbortSignal.timeout(Math.max(1, timeoutSeconds * 1000));
		try {
			const response = await request(url, {
				dispatcher: followsRedirects ? this.following : this.agent,
				method: method as 'GET',
				headers,
				body: body === '' ? null : body,
				signal,
			});
			return {
				...none,
				status: response.statusCode,
				headers: Object.fromEntries(
					Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
				),
				text: await response.body.text(),
				ms: performance.now() - start,
			};
		} catch (error) {
			const reason = signal.aborted ? `no answer within ${timeoutSeconds} s` : reasonOf(error);
			return { ...none, error: reason, ms: performance.now() - start };
		}
	}

	/** Closes every connection. */
	async close(): Promise<void> {
		await this.agent.destroy();
	}
}
