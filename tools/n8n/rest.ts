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

	/** Signs in. Required before any other request. Throws if n8n rejects the login. */
	async signIn(email: string, password: string): Promise<void> {
		const response = await this.send('POST', 'login', { emailOrLdapLoginId: email, password });
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
		this.cookie = cookies.join('; ');
	}

	/**
	 * Sends one request below /rest and returns the `data` of the response. Throws a RestError if it
	 * failed.
	 */
	async request<T>(
		method: string,
		path: string,
		body?: object,
		headers: Record<string, string> = {},
	): Promise<T> {
		const response = await this.send(method, path, body, headers);
		const { data } = (await response.json()) as { data: T };
		return data;
	}

	private async send(
		method: string,
		path: string,
		body?: object,
		headers: Record<string, string> = {},
	) {
		const response = await fetch(`${this.url}/rest/${path}`, {
			method,
			// No keep-alive: n8n closes an idle connection after 5 seconds, possibly just as it's reused.
			headers: {
				connection: 'close',
				cookie: this.cookie,
				'content-type': 'application/json',
				...headers,
			},
			...(body && { body: JSON.stringify(body) }),
		});
		if (response.ok) return response;
		throw new RestError(response.status, `${method} /rest/${path}`, await response.text());
	}
}
