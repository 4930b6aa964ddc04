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

/** Makes a function that sends requests to a base URL; objects go as JSON, texts as they are. */
export const sender =
	(base: string, always: Record<string, string> = {}): Send =>
	async (method, path, body, headers = {}) => {
		const isText = typeof body === 'string';
		const type = body !== undefined && !isText && { 'content-type': 'application/json' };
		const response = await fetch(`${base}${path}`, {
			method,
			headers: { ...type, ...always, ...headers },
			redirect: 'manual',
			...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
		});
		const text = await response.text();
		const read = (response.headers.get('content-type') ?? '').includes('json');
		return {
			status: response.status,
			headers: response.headers,
			text,
			body: (read && text !== '' ? JSON.parse(text) : {}) as Answer['body'],
		};
	};

/** The items of a list. */
export const itemsOf = ({ body }: Answer): Array<Record<string, unknown>> =>
	body.data as Array<Record<string, unknown>>;

/** The single thing of an answer. */
export const itemOf = ({ body }: Answer): Record<string, unknown> =>
	body.data as Record<string, unknown>;
