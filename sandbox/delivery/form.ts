/** Lists the fields of a form-encoded body: nested keys as `a[b]`, every value a string. */
function* fields(value: unknown, name: string): Generator<[string, string]> {
	if (value === null || typeof value !== 'object') yield [name, String(value ?? '')];
	else {
		for (const [key, inner] of Object.entries(value)) {
			yield* fields(inner, name === '' ? key : `${name}[${key}]`);
		}
	}
}

/** Encodes an object as a form (`application/x-www-form-urlencoded`). */
export const formEncode = (value: object): string =>
	new URLSearchParams([...fields(value, '')]).toString();
