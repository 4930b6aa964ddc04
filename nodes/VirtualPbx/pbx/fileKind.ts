/** Returns whether bytes begin a web page or JSON rather than a recording. */
export function looksLikeText(bytes: Uint8Array): boolean {
	const start = new TextDecoder().decode(bytes).trimStart();
	return /^(?:<[!?a-z]|[{[]\s*["{\]}])/i.test(start);
}

/** How files of sound begin, read as Latin-1, and their types. */
const BEGINNINGS: Array<[RegExp, string]> = [
	[/^RIFF.{4}WAVE/s, 'audio/wav'],
	[/^(?:ID3|\xFF[\xE2-\xE5\xF2-\xF5\xFA-\xFD])/, 'audio/mpeg'],
	[/^OggS/, 'audio/ogg'],
	[/^fLaC/, 'audio/flac'],
	[/^.{4}ftyp/s, 'audio/mp4'],
];

/** Returns the type of sound that a file's first bytes show; undefined for anything else. */
export function soundTypeOf(start: Uint8Array): string | undefined {
	const text = Buffer.from(start).toString('latin1');
	return BEGINNINGS.find(([beginning]) => beginning.test(text))?.[1];
}
