import { Type } from '@sinclair/typebox';
import { cdrNumber, recordingFile, recordingLink } from '../calls/records';
import type { Account } from '../model/account';
import { MEDIA_ADDRESS, newCallId, stableId } from '../model/ids';
import type { Pbx } from '../model/pbx';
import { gregorianNow } from '../model/time';
import type { Cdr } from '../model/types';
import type { App } from '../server/types';
import { accountOr, idParams, missing } from './common';
import { sendRecording } from '../recordings/send';

const accountId = Type.Optional(Type.String());
const gregorian = Type.Optional(Type.Integer({ minimum: 0 }));

const generateSchema = Type.Object(
	{
		count: Type.Integer({ minimum: 1, maximum: 5_000_000 }),
		from: gregorian,
		to: gregorian,
		account_id: accountId,
	},
	{ additionalProperties: false },
);

const recordsSchema = Type.Object(
	{ records: Type.Array(Type.Record(Type.String(), Type.String())), account_id: accountId },
	{ additionalProperties: false },
);

const recordingSchema = Type.Object(
	{
		seconds: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
		bytes: Type.Optional(Type.Integer({ minimum: 46 })),
		delay_seconds: Type.Number({ minimum: 0, default: 0 }),
		account_id: accountId,
	},
	{ additionalProperties: false },
);

const someone = (number: string, realm: string) => ({ number, name: number, user: number, realm });

/** Returns the default fields of a CDR. */
const blank = ({ settings }: Pbx, account: string): Cdr => ({
	CALL_DIRECTION: settings.legs === 'outbound' ? 'outbound' : 'inbound',
	BRIDGE_ID: newCallId(),
	CALLEE_ID_NUMBER: cdrNumber(settings, someone('12125550100', 'demo.sandbox.local')),
	CALLER_ID_NUMBER: cdrNumber(settings, someone('12125550123', 'carrier.sandbox.local')),
	TIMESTAMP: String(gregorianNow()),
	BILLING_SECONDS: '0',
	HANGUP_CAUSE: 'NORMAL_CLEARING',
	ACCOUNT_ID: account,
	REC_FILE: '',
	REC_LINK: '',
});

/** Generates CDRs, two legs per call, spread evenly over a range. The same range gives the same CDRs. */
function* generated(
	pbx: Pbx,
	{ id }: Account,
	{ count, from, to }: { count: number; from: number; to: number },
): Generator<Cdr> {
	const { settings } = pbx;
	const step = count > 1 ? (to - from) / (count - 1) : 0;
	for (let index = 0; index < count; index++) {
		const call = Math.floor(index / 2);
		const isAnswered = call % 5 < 3;
		const caller = someone(`1212${1_000_000 + (call % 9_000_000)}`, 'carrier.sandbox.local');
		yield {
			...blank(pbx, id),
			CALL_DIRECTION: index % 2 === 0 && settings.legs === 'both' ? 'inbound' : 'outbound',
			BRIDGE_ID: `${stableId(id, String(call))}@${MEDIA_ADDRESS}`,
			CALLER_ID_NUMBER: cdrNumber(settings, caller),
			TIMESTAMP: String(Math.floor(from + index * step)),
			BILLING_SECONDS: isAnswered ? String(10 + (call % 300)) : '0',
			HANGUP_CAUSE: isAnswered ? 'NORMAL_CLEARING' : 'NO_ANSWER',
		};
	}
}

/** Adds routes that create CDRs and recordings without calls, and play a recording without a token. */
export function recordRoutes(app: App, pbx: Pbx): void {
	app.post('/cdrs/generate', { schema: { body: generateSchema } }, async (request, reply) => {
		const { count, from, to = gregorianNow(), account_id: id } = request.body;
		const account = accountOr(pbx, id);
		const start = from ?? to - 30 * 24 * 3600;
		for (const cdr of generated(pbx, account, { count, from: start, to })) account.cdrs.add(cdr);
		return await reply.code(201).send({ count, total: account.cdrs.size, from: start, to });
	});

	app.post('/cdrs', { schema: { body: recordsSchema } }, async (request, reply) => {
		const account = accountOr(pbx, request.body.account_id);
		const cdrs = request.body.records.map((record) => ({ ...blank(pbx, account.id), ...record }));
		for (const cdr of cdrs) account.cdrs.add(cdr);
		return await reply.code(201).send({ count: cdrs.length, cdrs });
	});

	app.delete('/cdrs', async () => {
		for (const account of pbx.accounts.values()) account.cdrs.clear();
		return { status: 'ok' };
	});

	app.post('/recordings', { schema: { body: recordingSchema } }, async (request, reply) => {
		const { bytes, seconds = bytes === undefined ? 10 : (bytes - 44) / 16_000 } = request.body;
		const account = accountOr(pbx, request.body.account_id);
		const cdr: Cdr = { ...blank(pbx, account.id), BILLING_SECONDS: String(Math.round(seconds)) };
		const file = recordingFile(pbx, account, cdr.BRIDGE_ID);
		Object.assign(cdr, { REC_FILE: file, REC_LINK: recordingLink(pbx, account) });
		const readyAt = Date.now() + request.body.delay_seconds * 1000;
		account.recordings.set(file, { file, seconds, readyAt });
		account.cdrs.add(cdr);
		return await reply.code(201).send({ file, url: cdr.REC_LINK + file, cdr });
	});

	app.get('/recordings/:id', { schema: { params: idParams } }, async (request, reply) => {
		const { id } = request.params;
		const accounts = [...pbx.accounts.values()];
		const recording = accounts.map(({ recordings }) => recordings.get(id)).find((found) => found);
		if (!recording || recording.readyAt > Date.now()) return missing('recording', id);
		return await sendRecording(reply, recording);
	});
}
