import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Recording } from '../model/account';
import { wavBytes, wavSize } from './wav';

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
