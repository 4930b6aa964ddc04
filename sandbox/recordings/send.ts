import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Recording } from '../model/account';
import { wavBytes, wavSize } from './wav';

const RANGE = /^bytes=(\d*)-(\d*)$/;

/** Reads a `Range` header with one range. Anything else means the whole file. */
function rangeOf(
	header: string | undefined,
	size: number,
): { start: number; end: number } | undefined {
	const [, first, last] = RANGE.exec(header ?? '') ?? [];
	if (first === undefined || last === undefined || first + last === '') return undefined;
	const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
	const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
	return start < end ? { start, end } : undefined;
}

/** Sends a recording, whole or the requested range. The bytes are always WAV. The type follows the name. */
export async function sendRecording(
	request: FastifyRequest,
	reply: FastifyReply,
	{ file, seconds }: Recording,
	disposition = 'inline',
): Promise<FastifyReply> {
	const type = file.endsWith('.mp3') ? 'audio/mpeg' : 'audio/wav';
	reply.type(type).header('content-disposition', `${disposition}; filename="${file}"`);
	const size = wavSize(seconds);
	const range = rangeOf(request.headers.range, size);
	const { start, end } = range ?? { start: 0, end: size };
	reply.header('accept-ranges', 'bytes').header('content-length', end - start);
	if (range) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${size}`);
	return await reply.send(Readable.from(wavBytes(seconds, start, end)));
}
