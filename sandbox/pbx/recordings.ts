import { sendRecording } from '../recordings/send';
import { ApiError } from '../server/errors';
import type { App } from '../server/types';
import { accountOf } from './auth';
import { itemParams } from './schemas';

/** Adds REC_LINK + REC_FILE: the recording itself, behind `X-Auth-Token` (§2.4, §5.4). */
export function recordingRoutes(app: App): void {
	for (const folder of ['recordings', 'recorded']) {
		const path = `/accounts/:account_id/${folder}/:id`;
		app.get(path, { schema: { params: itemParams } }, async (request, reply) => {
			const account = accountOf(request, request.params.account_id);
			const recording = account.recordings.get(request.params.id);
			if (!recording || recording.readyAt > Date.now()) {
				throw new ApiError(404, { id: { not_found: { message: 'no such recording yet' } } });
			}
			return await sendRecording(request, reply, recording);
		});
	}
}
