/** The longest number that counts as an extension. */
const EXTENSION_DIGITS = 5;

/** Tells whether numbers, without SIP URIs and names, are all known, and extensions: digits only, at most five. */
export function areExtensions(...numbers: Array<string | undefined>): boolean {
	return numbers.every(
		(number) => number !== undefined && number.length <= EXTENSION_DIGITS && /^\d+$/.test(number),
	);
}
