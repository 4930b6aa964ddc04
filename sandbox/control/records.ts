import { Type } from '@sinclair/typebox';
import { numberParty } from '../calls/leg';
import { cdrNumber, recordingFile, recordingLink } from '../calls/records';
import type { Pbx } from '../model/pbx';
import { gregorianNow } from '../model/time';
import type { Cdr } from '../model/types';
import { newCallId } from '../model/util';
import { sendRecording } from '../pbx/wav';
import { missing } from '../server/errors';
import type { App } from '../server/types';

const recordsSchema = Type.Object(
	{ records: Type.Array(Type.Record(Type.String(), Type.String())) },
	{ additionalProperties: false },
);

const recordingSchema = Type.Object(
	{
		seconds: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
		bytes: Type.Optional(Type.Integer({ minimum: 46 })),
		delay_seconds: Type.Number({ minimum: 0, default: 0 }),
	},
	{ additionalProperties: false },
);

const blank = ({ settings, firstAccount }: Pbx): Cdr => ({
	CALL_DIRECTION: settings.legs === 'outbound' ? 'outbound' : 'inbound',
	BRIDGE_ID: newCallId(),
	CALLEE_ID_NUMBER: cdrNumber(settings, numberParty('12125550100', 'demo.sandbox.local')),
	CALLER_ID_NUMBER: cdrNumber(settings, numberParty('12125550123')),
	TIMESTAMP: String(gregorianNow()),
	BILLING_SECONDS: '0',
	HANGUP_CAUSE: 'NORMAL_CLEARING',
	ACCOUNT_ID: firstAccount.id,
	REC_FILE: '',
	REC_LINK: '',
});

/** Adds routes that create CDRs and recordings of the first account without calls, and play a recording without a token. */
export function recordRoutes(app: App, pbx: Pbx): void {
	app.post('/cdrs', { schema: { body: recordsSchema } }, async (request, reply) => {
		const cdrs = request.body.records.map((record) => ({ ...blank(pbx), ...record }));
		for (const cdr of cdrs) pbx.firstAccount.cdrs.add(cdr);
		return await reply.code(201).send({ count: cdrs.length, cdrs });
	});

	app.post('/recordings', { schema: { body: recordingSchema } }, async (request, reply) => {
		const { bytes, seconds = bytes === undefined ? 10 : (bytes - 44) / 16_000 } = request.body;
		const account = pbx.firstAccount;
		const cdr: Cdr = { ...blank(pbx), BILLING_SECONDS: String(Math.round(seconds)) };
		const file = recordingFile(pbx, account, cdr.BRIDGE_ID);
		Object.assign(cdr, { REC_FILE: file, REC_LINK: recordingLink(pbx, account) });
		const readyAt = Date.now() + request.body.delay_seconds * 1000;
		account.recordings.set(file, { file, seconds, readyAt });
		account.cdrs.add(cdr);
		return await reply.code(201).send({ file, url: cdr.REC_LINK + file, cdr });
	});

	app.get<{ Params: { id: string } }>('/recordings/:id', async ({ params: { id } }, reply) => {
		const accounts = [...pbx.accounts.values()];
		const recording = accounts.map(({ recordings }) => recordings.get(id)).find((found) => found);
		if (!recording || recording.readyAt > Date.now()) return missing('recording', id);
		return await sendRecording(reply, recording);
	});
}
