/** Sends a request to the control side. Throws an Error with the sandbox's message. */
export async function control(method, path, body) {
	const headers = body && { 'content-type': 'application/json' };
	const options = { method, ...(body && { headers, body: JSON.stringify(body) }) };
	const response = await fetch(`/sandbox${path}`, options);
	const result = await response.json();
	if (response.ok) return result;
	const details = Object.entries(result.details ?? {}).map(
		([field, rules]) => `${field}: ${Object.values(rules)[0]?.message ?? JSON.stringify(rules)}`,
	);
	throw new Error([result.error, details.join('; ')].filter(Boolean).join(': '));
}

/** Listens to all events. Calls `connected` when the stream opens or closes. */
export function listen(handlers, connected) {
	const source = new EventSource('/sandbox/events');
	source.addEventListener('open', () => connected(true));
	source.addEventListener('error', () => connected(false));
	for (const [type, handle] of Object.entries(handlers)) {
		source.addEventListener(type, ({ data }) => handle(JSON.parse(data)));
	}
}
