import { WaveFile } from 'wavefile';

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

function encodeBlock(): Buffer {
	const wav = new WaveFile();
	wav.fromScratch(
		1,
		RATE,
		'16',
		Int16Array.from({ length: RATE * BLOCK_SECONDS }, (_, index) => sample(index)),
	);
	return Buffer.from(wav.toBuffer());
}

let block: Buffer | undefined;

/** The encoded block that every recording repeats, built on first use. */
const encoded = (): Buffer => (block ??= encodeBlock());

/** Returns the size of a recording in bytes. */
export const wavSize = (seconds: number): number =>
	HEADER_BYTES + Math.round(seconds * RATE) * (BYTES_PER_SECOND / RATE);

function header(seconds: number): Buffer {
	const bytes = Buffer.from(encoded().subarray(0, HEADER_BYTES));
	const size = wavSize(seconds);
	bytes.writeUInt32LE(size - 8, 4);
	bytes.writeUInt32LE(size - HEADER_BYTES, HEADER_BYTES - 4);
	return bytes;
}

/** Yields the bytes of a recording from `start` up to but excluding `end`, in chunks, since it can be long. */
export function* wavBytes(seconds: number, start = 0, end = wavSize(seconds)): Generator<Buffer> {
	if (start < HEADER_BYTES) yield header(seconds).subarray(start, Math.min(end, HEADER_BYTES));
	const samples = encoded().subarray(HEADER_BYTES);
	let place = Math.max(0, start - HEADER_BYTES);
	const last = end - HEADER_BYTES;
	while (place < last) {
		const within = place % samples.length;
		const chunk = samples.subarray(within, Math.min(samples.length, within + last - place));
		yield chunk;
		place += chunk.length;
	}
}
