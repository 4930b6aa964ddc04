/**
 * Takes the number out of a SIP or tel URI, a name-addr form, or `user@host` (§2.4: caller and callee are SIP URIs).
 * Nothing is normalised: the user part comes back as it stands, percent-decoded and without URI parameters.
 *
 * @param value for example `sip:74951234567@company.example;transport=udp` or `"Ann" <sip:100@company.example>`
 * @returns the user part; the value itself where it is no URI; an empty text for an empty value
 */
export function numberOf(value: string): string {
	const address = bracketed(value.trim());
	const scheme = /^(sips?|tel):/i.exec(address);
	const rest = scheme ? address.slice(scheme[0].length) : address;
	const at = rest.indexOf('@');
	if (!scheme && at < 0) return address;

	const user = at < 0 ? rest : rest.slice(0, at);
	const isHostOnly = scheme !== null && !scheme[0].toLowerCase().startsWith('tel') && at < 0;
	const bare = isHostOnly ? rest : user.replace(/[;?].*/s, '');
	return decode(withoutPassword(bare));
}

/** The address of a name-addr: what stands in angle brackets, those within a quoted name aside. */
function bracketed(value: string): string {
	if (!value.includes('<')) return value;
	const unquoted = value.replace(/"(?:[^"\\]|\\.)*"/g, '');
	return /<([^<>]*)>/.exec(unquoted)?.[1] ?? value;
}

function withoutPassword(user: string): string {
	const colon = user.indexOf(':');
	return colon < 0 ? user : user.slice(0, colon);
}

function decode(text: string): string {
	if (!text.includes('%')) return text;
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
