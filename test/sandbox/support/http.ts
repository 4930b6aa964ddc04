/** An answer of the sandbox, its body read as JSON where it is JSON. */
export interface Answer {
	status: number;
	headers: Headers;
	text: string;
	// Tests look into answers of every shape; what they find is checked by the assertions.
	body: Record<string, unknown> & { data: unknown };
}

export type Send = (
	method: string,
	path: string,
	body?: unknown,
	headers?: Record<string, string>,
) => Promise<Answer>;

function parse(text: string): Answer['body'] {
	try {
		return JSON.parse(text) as Answer['body'];
	} catch {
		return { data: undefined };
	}
}

/** Makes a function that sends requests to a base URL; objects go as JSON, texts as they are. */
export const sender =
	(base: string, always: Record<string, string> = {}): Send =>
	async (method, path, body, headers = {}) => {
		const isText = typeof body === 'string';
		const response = await fetch(`${base}${path}`, {
			method,
			headers: {
				...(body === undefined || isText ? {} : { 'content-type': 'application/json' }),
				...always,
				...headers,
			},
			redirect: 'manual',
			...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
		});
		const text = await response.text();
		return { status: response.status, headers: response.headers, text, body: parse(text) };
	};
