const RATE = 8000;
const HEADER_BYTES = 44;
const BYTES_PER_SECOND = RATE * 2;
const BLOCK_SECONDS = 8;

/** Two voices that take turns: tones of different pitch, swelling once a second. */
function sample(index: number): number {
	const time = index / RATE;
	const isFirst = Math.floor(time / 2) % 2 === 0;
	const pitch = isFirst ? 220 : 330;
	const swell = Math.sin(Math.PI * (time % 1)) ** 2;
	const voice = Math.sin(2 * Math.PI * pitch * time) + 0.4 * Math.sin(4 * Math.PI * pitch * time);
	return Math.round(6000 * swell * voice);
}

/** The samples that every recording repeats, built on first use. */
let block: Buffer | undefined;
const samples = (): Buffer =>
	(block ??= Buffer.from(
		Int16Array.from({ length: RATE * BLOCK_SECONDS }, (_, index) => sample(index)).buffer,
	));

/** Returns the size of a recording in bytes. */
export const wavSize = (seconds: number): number =>
	HEADER_BYTES + Math.round(seconds * RATE) * (BYTES_PER_SECOND / RATE);

/** The header of a WAV file: 16-bit PCM, mono. */
function header(seconds: number): Buffer {
	const bytes = Buffer.alloc(HEADER_BYTES);
	const size = wavSize(seconds);
	bytes.write('RIFF', 0);
	bytes.writeUInt32LE(size - 8, 4);
	bytes.write('WAVEfmt ', 8);
	bytes.writeUInt32LE(16, 16);
	bytes.writeUInt16LE(1, 20);
	bytes.writeUInt16LE(1, 22);
	bytes.writeUInt32LE(RATE, 24);
	bytes.writeUInt32LE(BYTES_PER_SECOND, 28);
	bytes.writeUInt16LE(2, 32);
	bytes.writeUInt16LE(16, 34);
	bytes.write('data', 36);
	bytes.writeUInt32LE(size - HEADER_BYTES, 40);
	return bytes;
}

/** Yields the bytes of a recording in chunks, since it can be long. */
export function* wavBytes(seconds: number): Generator<Buffer> {
	yield header(seconds);
	const voices = samples();
	for (let left = wavSize(seconds) - HEADER_BYTES; left > 0; left -= voices.length)
		yield voices.subarray(0, left);
}
