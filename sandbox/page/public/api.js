/** Sends a request to the control side; throws an Error with the sandbox's own words. */
export async function control(method, path, body) {
	const content =
		body === undefined
			? {}
			: { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
	const response = await fetch(`/sandbox${path}`, { method, ...content });
	const answer = await response.json();
	if (response.ok) return answer;
	const details = Object.entries(answer.details ?? {})
		.map(
			([field, rules]) =>
				`${field}: ${Object.values(rules ?? {})[0]?.message ?? JSON.stringify(rules)}`,
		)
		.join('; ');
	throw new Error(details ? `${answer.error}: ${details}` : answer.error);
}

/** Listens to all events; calls `connected` when the stream opens or closes. */
export function listen(handlers, connected) {
	const source = new EventSource('/sandbox/events');
	source.addEventListener('open', () => connected(true));
	source.addEventListener('error', () => connected(false));
	for (const [type, handle] of Object.entries(handlers)) {
		source.addEventListener(type, ({ data }) => handle(JSON.parse(data)));
	}
}
