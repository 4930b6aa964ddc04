/**
 * Joins REC_LINK and REC_FILE to the address of a recording (§2.4: plain concatenation). Where that gives no sensible
 * address, or a slash may be missing or double at the seam, the address with one slash follows as second choice.
 *
 * @param link base URL of the recording; may be empty when the file is an address of its own
 * @param file name of the recorded file
 * @returns addresses to try in this order, at most two; empty when both parts are empty
 */
export function recordingAddresses(link: string, file: string): string[] {
	const base = link.trim();
	const name = file.trim();
	if (/^https?:\/\//i.test(name)) return [name];
	if (base === '' && name === '') return [];

	const path = name.replace(/#/g, '%23');
	const plain = base + path;
	if (base === '' || /[?=&]/.test(base)) return [plain];
	const joined = `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
	if (plain === joined) return [plain];
	return isBareOrigin(base) ? [joined] : [plain, joined];
}

/** `https://host` + `a.mp3` would be another host. */
function isBareOrigin(base: string): boolean {
	return /^https?:\/\/[^/?#]*$/i.test(base);
}
