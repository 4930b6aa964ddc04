/**
 * Joins REC_LINK and REC_FILE to the address of a recording (§2.4: plain concatenation). Where that gives no sensible
 * address, or a slash may be missing or double at the seam, the address with one slash follows as second choice. A file
 * name may hold signs that mean something in an address; where they may be meant so, the plain name follows later.
 *
 * @param link base URL of the recording; may be empty when the file is an address of its own
 * @param file name of the recorded file
 * @returns addresses to try in this order, at most four; empty when both parts are empty
 */
export function recordingAddresses(link: string, file: string): string[] {
	const base = link.trim();
	const name = file.trim();
	if (/^https?:\/\//i.test(name)) return [name];
	if (base === '' && name === '') return [];

	const addresses = encodedNames(name).flatMap((path) => joinedTo(base, path));
	return [...new Set(addresses)];
}

function joinedTo(base: string, path: string): string[] {
	const plain = base + path;
	if (base === '' || /[?=&]/.test(base)) return [plain];
	const joined = `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
	if (plain === joined) return [plain];
	return isBareOrigin(base) ? [joined] : [plain, joined];
}

/** A file name within an address: first as it is most likely meant. */
function encodedNames(name: string): string[] {
	const asAddress = name.replace(/#/g, '%23').replace(/%(?![\da-f]{2})/gi, '%25');
	const asName = name.replace(/%/g, '%25').replace(/#/g, '%23').replace(/\?/g, '%3F');
	// `a.mp3?sig=1` is an address rather than a name, and so is `a%20b.mp3`.
	const isName = name.includes('?') && !/\?[^?/=]+=/.test(name);
	return isName ? [asName, asAddress] : [asAddress, asName];
}

/** `https://host` + `a.mp3` would be another host. */
function isBareOrigin(base: string): boolean {
	return /^https?:\/\/[^/?#]*$/i.test(base);
}
