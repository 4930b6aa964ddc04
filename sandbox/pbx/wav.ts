import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Recording } from '../model/account';

const RATE = 8000;
const HEADER_BYTES = 44;
const BLOCK_SECONDS = 8;

/** Two voices that take turns: tones of different pitch, swelling once a second. */
function sample(_: unknown, index: number): number {
	const time = index / RATE;
	const pitch = time % 4 < 2 ? 220 : 330;
	return Math.round(6000 * Math.sin(Math.PI * time) ** 2 * Math.sin(2 * Math.PI * pitch * time));
}

/** The samples that every recording repeats, built on first use. */
let block: Buffer | undefined;
const samples = (): Buffer =>
	(block ??= Buffer.from(Int16Array.from({ length: RATE * BLOCK_SECONDS }, sample).buffer));

/** Returns the size of a recording in bytes: 16-bit PCM, mono. */
const wavSize = (seconds: number): number => HEADER_BYTES + Math.round(seconds * RATE) * 2;

function header(seconds: number): Buffer {
	const words = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
	const size = wavSize(seconds);
	const format = [16, 1 | (1 << 16), RATE, RATE * 2, 2 | (16 << 16)];
	return Buffer.concat([
		...[Buffer.from('RIFF'), words(size - 8), Buffer.from('WAVEfmt '), words(...format)],
		...[Buffer.from('data'), words(size - HEADER_BYTES)],
	]);
}

/** Yields the bytes of a recording in chunks, since it can be long. */
function* wavBytes(seconds: number): Generator<Buffer> {
	yield header(seconds);
	const voices = samples();
	for (let left = wavSize(seconds) - HEADER_BYTES; left > 0; left -= voices.length)
		yield voices.subarray(0, left);
}

/** Sends a recording. The bytes are always WAV. The type follows the name. */
export async function sendRecording(
	reply: FastifyReply,
	{ file, seconds }: Recording,
	disposition = 'inline',
): Promise<FastifyReply> {
	reply.type(file.endsWith('.mp3') ? 'audio/mpeg' : 'audio/wav');
	reply.header('content-disposition', `${disposition}; filename="${file}"`);
	reply.header('content-length', wavSize(seconds));
	return await reply.send(Readable.from(wavBytes(seconds)));
}
