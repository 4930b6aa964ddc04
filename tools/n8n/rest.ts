/** An answer of n8n that was not a success; the message holds n8n's own words. */
export class RestError extends Error {
	constructor(
		readonly status: number,
		readonly request: string,
		readonly body: unknown,
	) {
		super(`n8n answered ${status} to ${request}: ${wordsOf(body)}`);
	}
}

function wordsOf(body: unknown): string {
	if (typeof body === 'object' && body !== null && 'message' in body) return String(body.message);
	return typeof body === 'string' ? body.slice(0, 500) : JSON.stringify(body);
}

/** Sends requests to n8n's own REST interface, signed in by cookie. */
export class Rest {
	private cookie = '';

	constructor(readonly url: string) {}

	/** Signs in; must come before any other request. Throws when n8n refuses. */
	async signIn(email: string, password: string): Promise<void> {
		const response = await this.send('POST', 'login', { emailOrLdapLoginId: email, password });
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
		this.cookie = cookies.join('; ');
	}

	/**
	 * Sends one request below /rest and returns the answer's `data`.
	 *
	 * @throws {RestError} on any answer that is not a success
	 */
	async request<T>(
		method: string,
		path: string,
		body?: object,
		headers: Record<string, string> = {},
	): Promise<T> {
		const response = await this.send(method, path, body, headers);
		const answer = (await response.json()) as { data: T };
		return answer.data;
	}

	private async send(
		method: string,
		path: string,
		body?: object,
		headers: Record<string, string> = {},
	) {
		const ask = async () =>
			await fetch(`${this.url}/rest/${path}`, {
				method,
				headers: { cookie: this.cookie, 'content-type': 'application/json', ...headers },
				...(body && { body: JSON.stringify(body) }),
			});
		// n8n closes connections, maybe just when this request is sent on one.
		const mayRepeat = method === 'GET' || path === 'login';
		const response = mayRepeat ? await ask().catch(ask) : await ask();
		if (response.ok) return response;
		const text = await response.text();
		let answer: unknown = text;
		try {
			answer = JSON.parse(text);
		} catch {
			// An error page: its text says more than nothing.
		}
		throw new RestError(response.status, `${method} /rest/${path}`, answer);
	}
}
