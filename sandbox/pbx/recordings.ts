import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Account, Recording } from '../model/account';
import type { Pbx } from '../model/pbx';
import { sendRecording } from './wav';
import { ApiError, notFound } from '../server/errors';
import type { App } from '../server/types';
import { accountOf } from './auth';
import { envelope, type Asked, type Query } from './lists';

const isReady = (recording: Recording | undefined): recording is Recording =>
	recording !== undefined && recording.readyAt <= Date.now();

/** A stock Kazoo's description of a recording. */
const described = ({ file, seconds }: Recording, id: string) => ({
	...{ id, name: file, description: `recording ${file}`, content_type: 'audio/mpeg' },
	...{ media_type: 'mp3', media_source: 'recorded', source_type: 'media_recording' },
	duration: Math.round(seconds),
	duration_ms: Math.round(seconds * 1000),
	call_id: file.replace(/^call_recording_|\.mp3$/g, ''),
});

/** Responds as a stock Kazoo: with the file only if the query, or the header, has its exact type. */
async function byId(
	request: FastifyRequest,
	reply: FastifyReply,
	{ account, id }: { account: Account; id: string },
): Promise<unknown> {
	const wanted = String((request.query as Query).accept ?? request.headers.accept ?? '');
	const recording = account.recordingById(id);
	if (!isReady(recording)) throw notFound(id);
	if (wanted === 'audio/mpeg') return await sendRecording(reply, recording, 'attachment');
	if (wanted.startsWith('audio/')) return await reply.send('');
	return envelope(request, described(recording, id), 1);
}

/** Adds REC_LINK + REC_FILE: the recording itself, behind `X-Auth-Token` (§2.4, §5.4), and a stock Kazoo's by ID. */
export function recordingRoutes(app: App, pbx: Pbx): void {
	for (const folder of ['recordings', 'recorded'])
		app.get<Asked>(`/accounts/:account_id/${folder}/:id`, async (request, reply) => {
			const account = accountOf(request);
			const { id } = request.params;
			if (pbx.settings.profile === 'kazoo') return await byId(request, reply, { account, id });
			const recording = account.recordings.get(id);
			if (isReady(recording)) return await sendRecording(reply, recording);
			throw new ApiError(404, { id: { not_found: { message: 'no such recording yet' } } });
		});
}
