import { Agent, interceptors, request } from 'undici';
import type { Wire } from './body';

/** Text kept of an answer, for people to read. */
export const ANSWER_KEPT = 2000;

/** Connections to keep open per receiving host. */
const CONNECTIONS = 64;

/** Redirects to follow, one after the other. */
const MOST_REDIRECTS = 5;

/** An answer to a request that the sandbox sent, or why there is none. */
export interface Answer {
	status: number | null;
	headers: Record<string, string>;
	text: string;
	error: string | null;
	ms: number;
}

/** Says why a request failed, by the code that the network gives. */
function reasonOf(error: unknown): string {
	const { code, message } = Object(error) as { code?: unknown; message?: unknown };
	const text = typeof message === 'string' ? message : String(error);
	return typeof code === 'string' ? `${code}: ${text}` : text;
}

/** The one way out of the sandbox: connections are kept open, and bounded per host. */
export class Client {
	private readonly agent = new Agent({
		connections: CONNECTIONS,
		pipelining: 1,
		keepAliveTimeout: 10_000,
	});

	private readonly following = this.agent.compose(
		interceptors.redirect({ maxRedirections: MOST_REDIRECTS }),
	);

	/** Sends a request and reads the answer; failures are part of the result, nothing is thrown. */
	async send(
		{ url, method, headers, body }: Wire,
		timeoutSeconds: number,
		followsRedirects = false,
	): Promise<Answer> {
		const start = performance.now();
		const answer = { status: null, headers: {}, text: '', error: null };
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
				...answer,
				status: response.statusCode,
				headers: Object.fromEntries(
					Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
				),
				text: await response.body.text(),
				ms: performance.now() - start,
			};
		} catch (error) {
			const reason = signal.aborted ? `no answer within ${timeoutSeconds} s` : reasonOf(error);
			return { ...answer, error: reason, ms: performance.now() - start };
		}
	}

	/** Closes every connection. */
	async close(): Promise<void> {
		await this.agent.destroy();
	}
}
