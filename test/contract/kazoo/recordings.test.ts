import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { SANDBOX_LOGIN } from '../../../tools/sandbox-client';
import { recorded } from '../../support/corpus';
import { credentialOf, operate } from '../../support/operate';
import { usePbx } from '../../support/sandbox';
import { ACCOUNT_ID, startScriptedPbx } from '../../support/scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx } from '../../support/scriptedPbx';

const ID = '202611-71d3ef52c371b18058883b10bbdf69de';
const PATH = `/v2/accounts/${ACCOUNT_ID}/recordings/${ID}`;
const SOUND = `ID3${'sound'.repeat(100)}`;
const [RECORD] = recorded('cdrs, with a recording').body.data as IDataObject[];
const CALL = 'rec2recordingReadymx0awnqa-in@10.20.0.5';

/** The answer with the sound, its bytes made up. */
const { headers } = recorded('recording, its sound by query');
const found = { body: SOUND, headers: headers ?? {} };

let pbx: ScriptedPbx;
afterEach(async () => await pbx.close());

/** Downloads from a PBX that answers as the real Kazoo did, and to requests for the sound as given. */
async function download(parameters: IDataObject, answer: ScriptedAnswer = found, json = {}) {
	pbx = await startScriptedPbx(({ path, query }) => {
		const { data, ...notes } = recorded('cdrs, with a recording').body;
		if (path.endsWith('/cdrs')) return { body: { ...notes, data } };
		if (!path.startsWith(PATH)) return undefined;
		const isSound = query.get('accept') === 'audio/mpeg';
		return isSound ? answer : { body: recorded('recording, its description').body };
	});
	const credential = await credentialOf(pbx, { ...SANDBOX_LOGIN, dialect: 'kazoo' });
	const run = await operate(credential, 'recording:download', parameters as never, {
		items: [json],
	});
	const [item] = run.output[0] ?? [];
	return { ...run, file: item?.binary?.data as IBinaryData | undefined };
}

describe('a recording of a Kazoo, whose records hold IDs', () => {
	const simplified = { recordingUrl: `{url}${PATH}?accept=audio/mpeg` };
	it.each<[string, IDataObject, IDataObject]>([
		['by call', { source: 'call', callId: CALL, callDay: '2026-11-28' }, {}],
		['by ID', { source: 'id', recordingId: ID }, {}],
		['of a raw call record', { source: 'item' }, RECORD ?? {}],
		['of a raw call', { source: 'item' }, { callId: CALL, legs: [RECORD, RECORD] }],
	])('is downloaded %s from the address that a real Kazoo has, once', async (_, source, json) => {
		const { file, error } = await download(source, found, json);
		expect(error).toBeUndefined();
		expect(Buffer.from(file?.data ?? '', 'base64').toString()).toBe(SOUND);
		// Services that transcribe go by the ending of the name, which an ID doesn't have.
		expect(file).toMatchObject({
			fileName: 'call_recording_rec2recordingReadymx0awnqa-in@10.20.0.5.mp3',
			mimeType: 'audio/mpeg',
		});
		const asked = pbx.requests.filter(({ path }) => path.includes('/recordings/'));
		expect(
			asked.map(({ path, query }) => `${path}?${decodeURIComponent(query.toString())}`),
		).toEqual([simplified.recordingUrl.replace('{url}', '')]);
		expect(asked[0]?.headers['x-auth-token']).toBe('token-1');
	});

	it('of several of a call is in an item with its own address', async () => {
		const other = '202611-b55fc4d42819d51b25f1b645ac7ebd00';
		pbx = await startScriptedPbx(({ path }) => {
			if (path.includes('/recordings/')) return found;
			const data = [{ ...RECORD, media_recordings: [ID, other] }];
			return path.endsWith('/cdrs') ? { body: { status: 'success', data } } : undefined;
		});
		const credential = await credentialOf(pbx, { ...SANDBOX_LOGIN, dialect: 'kazoo' });
		const parameters = { source: 'call', callId: CALL };
		const { items } = await operate(credential, 'recording:download', parameters);
		expect(items).toMatchObject(
			[ID, other].map((id) => ({ recordingUrl: expect.stringContaining(`/recordings/${id}`) })),
		);
	});

	it.each<[string, ScriptedAnswer, string, string]>([
		[
			'is not there',
			{ status: 404, body: recorded('recording, not there').body },
			"The recording isn't there",
			'might not have written it yet',
		],
		[
			'has an endpoint that is not started',
			{ status: 404, body: '' },
			"Your Kazoo doesn't offer recordings",
			'start_module cb_recordings',
		],
		[
			'has an endpoint that returns nothing',
			{ status: 200, body: String(recorded('recording, Accept audio/*').body) },
			"Your Kazoo's recordings endpoint returns nothing",
			'200 and an empty body',
		],
	])('%s: says so', async (_, answer, message, advice) => {
		const { error } = await download({ source: 'id', recordingId: ID }, answer);
		expect(error?.message).toBe(message);
		expect(error?.description).toContain(advice);
	});

	it('has no ID on a PBX of the contract', async () => {
		pbx = await startScriptedPbx();
		const credential = await credentialOf(pbx);
		const parameters = { source: 'id', recordingId: ID };
		const { error } = await operate(credential, 'recording:download', parameters);
		expect(error?.message).toContain('Your PBX has no recordings by ID');
		expect(pbx.requests).toEqual([]);
	});
});

describe('recordings on the profile kazoo', () => {
	const kazoo = usePbx({ settings: { profile: 'kazoo', speed: 1000 } });

	it('are named by ID, and their addresses are given and can be downloaded', async () => {
		const { sandbox } = kazoo;
		await sandbox.call({ from: '12125550123', to: '12125550100' });
		const calls = await kazoo.items('call:getMany', { returnAll: true });
		const raw = await kazoo.items('cdr:getMany', { returnAll: true, simplify: false });
		const [id = ''] = raw.flatMap(({ media_recordings: ids }) => ids as string[]);
		expect(new Set(raw.map(({ recording_url: url }) => url))).toEqual(new Set(['']));
		const path = `/v2/accounts/${sandbox.pbx.firstAccount.id}/recordings/${id}`;
		expect(calls).toMatchObject([{ recordingUrl: `${sandbox.url}${path}?accept=audio/mpeg` }]);
		const more = { items: calls };
		const { output } = await kazoo.run('recording:download', { source: 'item' }, more);
		expect(output[0]?.[0]?.binary?.data).toMatchObject({ mimeType: 'audio/mpeg' });
	});
});
