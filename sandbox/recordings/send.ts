import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Recording } from '../model/account';
import type { Settings } from '../model/settings';
import { wavBytes, wavSize } from './wav';

const RANGE = /^bytes=(\d*)-(\d*)$/;

/** Reads a `Range` header with one range; anything else means the whole. */
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

const pack = promisify(gzip);

/** Whether a request takes gzip: it names it, or anything, with a weight other than 0. */
const takesGzip = ({ headers }: FastifyRequest): boolean =>
	String(headers['accept-encoding'] ?? '')
		.split(',')
		.some((coding) => /^\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(coding));

/** Sends a recording packed, its length that of the packed body. */
async function sendPacked(reply: FastifyReply, seconds: number): Promise<FastifyReply> {
	const packed = await pack(Buffer.concat([...wavBytes(seconds)]));
	return await reply
		.header('content-encoding', 'gzip')
		.header('content-length', packed.length)
		.send(packed);
}

/**
 * Sends a recording, whole or the part that a player asks for; packed by a setting. The bytes are
 * WAV; the type is what the name says.
 */
export async function sendRecording(
	request: FastifyRequest,
	reply: FastifyReply,
	{ file, seconds }: Recording,
	encoding: Settings['recording_encoding'] = 'identity',
): Promise<FastifyReply> {
	const isPacked = encoding === 'gzip_always' || (encoding === 'gzip' && takesGzip(request));
	const type = file.endsWith('.mp3') ? 'audio/mpeg' : 'audio/wav';
	reply.type(type).header('content-disposition', `inline; filename="${file}"`);
	if (isPacked) return await sendPacked(reply, seconds);
	const size = wavSize(seconds);
	const range = rangeOf(request.headers.range, size);
	const { start, end } = range ?? { start: 0, end: size };
	reply.header('accept-ranges', 'bytes').header('content-length', end - start);
	if (range) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${size}`);
	return await reply.send(Readable.from(wavBytes(seconds, start, end)));
}
