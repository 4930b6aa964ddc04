import { Agent, interceptors, request } from 'undici';
import type { Wire } from './body';

/** The number of characters of a response's body to keep for display. */
export const SHOWN_CHARACTERS = 2000;

/** The response to one of the sandbox's requests, or why there is none. */
export interface HttpResponse {
	status: number | null;
	headers: Record<string, string>;
	text: string;
	error: string | null;
	ms: number;
}

/** Returns why a request failed, with the network's error code. */
const reasonOf = ({ code, message }: NodeJS.ErrnoException): string =>
	code === undefined ? message : `${code}: ${message}`;

/** The sandbox's one HTTP client. It keeps connections open, with a limit per host. */
export class Client {
	private readonly agent = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 10_000 });
	private readonly following = this.agent.compose(interceptors.redirect({ maxRedirections: 5 }));

	/** Sends a request and reads the response. Never throws: failures are part of the result. */
	async send(
		{ url, method, headers, body }: Wire,
		timeoutSeconds: number,
		followsRedirects = false,
	): Promise<HttpResponse> {
		const start = performance.now();
		const signal = AbortSignal.timeout(Math.max(1, timeoutSeconds * 1000));
		const ask = async () => {
			const response = await request(url, {
				dispatcher: followsRedirects ? this.following : this.agent,
				method: method as 'GET',
				headers,
				body: body === '' ? null : body,
				signal,
			});
			const received = Object.entries(response.headers);
			return {
				status: response.statusCode,
				headers: Object.fromEntries(received.map(([name, value]) => [name, String(value)])),
				text: await response.body.text(),
				error: null,
			};
		};
		const result = await ask().catch((failure: Error) => {
			const error = signal.aborted ? `no answer within ${timeoutSeconds} s` : reasonOf(failure);
			return { status: null, headers: {}, text: '', error };
		});
		return { ...result, ms: performance.now() - start };
	}

	async close(): Promise<void> {
		await this.agent.destroy();
	}
}
