import { isObject } from '../values/json';

/**
 * Tells whether the PBX has kept what it was given: every value is there. What it adds by itself is no loss, nor that it
 * shows a number as a text, a method in another case, or an address in percent-encoding (§2.2).
 *
 * @param name of the field that holds the value
 */
export function isKept(given: unknown, found: unknown, name = ''): boolean {
	if (Array.isArray(given)) {
		if (!Array.isArray(found) || found.length !== given.length) return false;
		return given.every((entry, index) => isKept(entry, (found as unknown[])[index]));
	}
	if (!isObject(given)) return isSameValue(given, found, name);
	if (!isObject(found)) return Object.keys(given).length === 0 && (found ?? null) === null;
	return Object.entries(given).every(([key, value]) => isKept(value, found[key], key));
}

function isSameValue(given: unknown, found: unknown, name: string): boolean {
	if ((given ?? null) === null || (found ?? null) === null || typeof found === 'object')
		return (given ?? null) === (found ?? null);
	const [one, other] = [String(given), String(found)];
	if (one === other) return true;
	if (name === 'method') return one.toUpperCase() === other.trim().toUpperCase();
	return name === 'voice_url' && decoded(one) === decoded(other);
}

/** A text without percent-encoding; the text itself where it has none that could be read. */
export function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
