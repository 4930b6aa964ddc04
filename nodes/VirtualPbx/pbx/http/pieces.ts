import type { OpenResponse } from './body';
import { guard, piecesOf, unlessSilent } from './body';
import type { ByteStream } from './message';

const PIECE = 2 ** 20;

/**
 * Waits for the first bytes of a body and puts them back; undefined if it ends without any. Throws if it breaks off.
 */
export async function firstChunk(answer: OpenResponse): Promise<Uint8Array | undefined> {
	const { body } = answer;
	const chunk = async () =>
		await new Promise<Uint8Array | undefined>((resolve, reject) => {
			const look = () => {
				const bytes = body.read() as Uint8Array | null;
				if (bytes === null) return;
				body.off('readable', look).unshift(bytes);
				resolve(bytes);
			};
			body
				.on('readable', look)
				.once('end', () => resolve(undefined))
				.once('error', reject)
				.once('close', () => reject(new Error('aborted')));
		});
	return await unlessSilent(answer, chunk);
}

/**
 * Collects a stream into 1 MiB pieces and reads ahead: n8n's file storage writes one piece at a time, waiting for
 * each. Breaks off when the PBX goes silent, but not when the storage is slow.
 */
export function inLargePieces(answer: OpenResponse): ByteStream {
	const pieces = answer.body.compose((parts) => gather(piecesOf(parts, answer))) as ByteStream;
	guard(pieces);
	return pieces;
}

async function* gather(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let gathered: Uint8Array[] = [];
	let size = 0;
	for await (const part of parts) {
		gathered.push(part);
		size += part.length;
		if (size < PIECE) continue;
		yield Buffer.concat(gathered, size);
		gathered = [];
		size = 0;
	}
	if (size > 0) yield Buffer.concat(gathered, size);
}
