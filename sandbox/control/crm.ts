import { LOG_SIZE } from '../model/logs';
import type { Note, Pbx } from '../model/pbx';
import { newId } from '../model/util';
import { ApiError } from '../server/errors';
import type { App } from '../server/types';

interface OfCall {
	Params: { call_id: string };
}

/** The largest recording that the CRM accepts, in bytes. */
const RECORDING_LIMIT = 50_000_000;

/** Adds the small CRM of the example workflows: it takes notes and recordings. */
export function crmRoutes(app: App, pbx: Pbx): void {
	const keep = (body: unknown, id = newId()): Note => {
		const note = { id, receivedAt: new Date().toISOString(), body };
		const place = pbx.notes.findIndex((one) => one.id === id);
		if (place < 0) pbx.notes.push(note);
		else pbx.notes[place] = note;
		if (pbx.notes.length > LOG_SIZE) pbx.notes.shift();
		pbx.bus.publish('note', () => note);
		return note;
	};

	app.post('/crm/notes', async (request, reply) => {
		return await reply.code(201).send(keep(request.body ?? null));
	});

	app.put<OfCall>('/crm/notes/:call_id', async (request) =>
		keep(request.body ?? null, request.params.call_id),
	);

	app.addContentTypeParser(
		/^audio\//,
		{ parseAs: 'buffer', bodyLimit: RECORDING_LIMIT },
		(_request, body, done) => done(null, body),
	);
	app.post<OfCall>('/crm/notes/:call_id/recording', async (request, reply) => {
		const bytes = Buffer.isBuffer(request.body) ? request.body.length : 0;
		if (bytes === 0)
			throw new ApiError(400, {}, 'the body must be a sound file, its type audio/...');
		const type = request.headers['content-type'] ?? '';
		const recording = { callId: request.params.call_id, recording: { type, bytes } };
		return await reply.code(201).send(keep(recording));
	});

	app.get('/crm/notes', async () => ({ count: pbx.notes.length, notes: pbx.notes }));
}
