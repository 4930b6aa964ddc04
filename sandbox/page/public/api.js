/** Sends a request to the control side. Throws an Error with the sandbox's message. */
export async function control(method, path, body) {
	const content =
		body === undefined
			? {}
			: { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
	const response = await fetch(`/sandbox${path}`, { method, ...content });
	const result = await response.json();
	if (response.ok) return result;
	const details = Object.entries(result.details ?? {})
		.map(
			([field, rules]) =>
				`${field}: ${Object.values(rules ?? {})[0]?.message ?? JSON.stringify(rules)}`,
		)
		.join('; ');
	throw new Error(details ? `${result.error}: ${details}` : result.error);
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
