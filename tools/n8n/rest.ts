/** An unsuccessful response from n8n. The message contains n8n's own. */
export class RestError extends Error {
	constructor(
		readonly status: number,
		request: string,
		words: string,
	) {
		super(`n8n responded with ${status} to ${request}: ${words.slice(0, 500)}`);
	}
}

/** Sends requests to n8n's REST API, signed in by cookie. */
export class Rest {
	private cookie = '';

	constructor(readonly url: string) {}

	async signIn(email: string, password: string): Promise<void> {
		const response = await this.send('POST', 'login', { emailOrLdapLoginId: email, password });
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
		this.cookie = cookies.join('; ');
	}

	/** Sends a request below /rest. Returns the `data` of the response, or throws a RestError. */
	async request<T>(...request: Parameters<Rest['send']>): Promise<T> {
		const response = await this.send(...request);
		return ((await response.json()) as { data: T }).data;
	}

	private async send(
		method: string,
		path: string,
		body?: object,
		more: Record<string, string> = {},
	) {
		const { cookie } = this;
		// No keep-alive: n8n closes an idle connection after 5 seconds, possibly just as it's reused.
		const headers = { connection: 'close', cookie, 'content-type': 'application/json', ...more };
		const response = await fetch(`${this.url}/rest/${path}`, {
			...{ method, headers },
			...(body && { body: JSON.stringify(body) }),
		});
		if (response.ok) return response;
		throw new RestError(response.status, `${method} /rest/${path}`, await response.text());
	}
}
