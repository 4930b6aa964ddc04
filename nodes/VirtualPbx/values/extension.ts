/** The longest number that counts as an extension. */
const EXTENSION_DIGITS = 5;

/** Tells whether a number is an extension: digits only, at most five. */
export function isExtension(number: string | undefined): boolean {
	return number !== undefined && number.length <= EXTENSION_DIGITS && /^\d+$/.test(number);
}
