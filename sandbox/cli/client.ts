/** A failure shown to the user in one sentence, without a stack trace. */
export class CliError extends Error {}

/** The commands' client for the control side of a running sandbox. */
export class Control {
	/** @param url address of the sandbox */
	constructor(private readonly url: string) {}

	/** Sends a request to `/sandbox/...`. Throws a CliError with a remedy if it fails. */
	async send(
		method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
		path: string,
		body?: unknown,
	): Promise<unknown> {
		const { statusCode, text } = await this.exchange(method, path, body);
		const response = jsonOrText(text);
		if (statusCode < 400) return response;
		throw new CliError(describe(statusCode, response));
	}

	private async exchange(method: string, path: string, body: unknown) {
		const content =
			body === undefined
				? {}
				: { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
		const url = new URL(`/sandbox${path}`, this.url);
		const received = await fetch(url, { method, ...content }).catch(() => {
			const advice =
				'Start one with "npm run sandbox -- serve", or set another address with --url.';
			throw new CliError(`No sandbox answers at ${this.url}. ${advice}`);
		});
		return { statusCode: received.status, text: await received.text() };
	}
}

/** Parses JSON; returns any other text as it is. */
export function jsonOrText(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

function describe(status: number, response: unknown): string {
	const { error, details } = (response ?? {}) as { error?: string; details?: object };
	if (error === undefined) return `The server responded with ${status}, so it isn't a sandbox PBX.`;
	const more = details && Object.keys(details).length > 0 ? ` ${JSON.stringify(details)}` : '';
	return `The sandbox rejected the request (${status}): ${error}${more}`;
}
