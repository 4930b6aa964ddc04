import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { CORPUS_TOKEN, only, placeIn, readCorpus, titled } from '../../support/corpus';
import { credentialOf, operate } from '../../support/operate';
import { loginAnswer, useScriptedPbx } from '../../support/scriptedPbx';

const CDRS = readCorpus('cdrs');
const RECORDED = CDRS.filter(({ means }) => typeof means.recordingUrl === 'string');
const OLD_HOST = /^https?:\/\/pbx\.acme\.example/;
const UPPER = (name: string) => name.toUpperCase();
const SOUND = 'ID3 invented sound';
const RANGE = { after: '2026-11-20T00:00:00Z', before: '2026-11-21T00:00:00Z' };

/** A field whatever the case of its name. */
const fieldOf = (record: IDataObject, name: string) => record[UPPER(name)] ?? record[name];

describe('call records of the service', () => {
	let stored: IDataObject[];
	const options = { includeDetails: true };
	const all = { returnAll: true, ...RANGE, options };
	const get = async (name: string, parameters: INodeParameters = {}) => {
		const { items, error, output } = await operate(
			await credentialOf(pbx, { realm: 'acme.example' }),
			name,
			parameters,
		);
		if (error) throw error;
		return { items, binary: output[0]?.map(({ binary }) => binary?.data) ?? [] };
	};

	const pbx = useScriptedPbx(({ path, query, headers }) => {
		const place = placeIn(path);
		if (place === undefined) return loginAnswer(CORPUS_TOKEN);
		if (place === 'cdrs') {
			// The whole text must match, as at the service.
			const filters = [...query].filter(([name]) => name.startsWith('filter_'));
			const data = stored.filter((record) =>
				filters.every(([name, value]) => String(fieldOf(record, name.slice(7))) === value),
			);
			return { body: { data, status: 'success' } };
		}
		if (headers['x-auth-token'] !== CORPUS_TOKEN) return { status: 401, body: {} };
		return { body: SOUND, headers: { 'content-type': 'audio/mpeg' } };
	});
	beforeEach(() => void (stored = CDRS.map(({ body }) => body)));

	it('are given whole, as they came', async () => {
		expect((await get('cdr:getMany', { ...all, simplify: false })).items).toEqual(stored);
	});

	it.each(titled(CDRS))('are simplified: %s', async (_, { body, means }) => {
		stored = [body];
		const { items } = await get('cdr:getMany', all);
		expect(items.map((item) => only(item, means))).toEqual([means]);
	});

	it.each(['171', '172', '79990000001', '+79990000001', '0171', 'anonymous', 'hall 3 / desk 7'])(
		'are found by the caller number %s, whichever form the PBX keeps',
		async (callerNumber) => {
			const { items } = await get('cdr:getMany', { ...all, filters: { callerNumber } });
			const byNumber = (wanted: string) =>
				CDRS.filter(({ body, means }) => {
					const { from: shown } = (means.details ?? {}) as IDataObject;
					const from = String(shown ?? fieldOf(body, 'caller_id_number'));
					return from.replace(/ \(.*$/, '') === wanted;
				}).map(({ means }) => means.callId);
			const other = callerNumber.startsWith('+') ? callerNumber.slice(1) : `+${callerNumber}`;
			const found = items.map(({ callId }) => callId);
			expect(byNumber(callerNumber).filter((id) => !found.includes(id))).toEqual([]);
			const may = [...byNumber(callerNumber), ...byNumber(other)];
			expect(found.filter((id) => !may.includes(id))).toEqual([]);
		},
	);

	it.each(titled(RECORDED))(
		'lead to their recordings, with the token: %s',
		async (_, { body, means }) => {
			// Only its REC_LINK names the host.
			const text = JSON.stringify(body).replace(/"https?:\/\/pbx\.acme\.example/, `"${pbx.url}`);
			stored = [JSON.parse(text) as IDataObject];
			const byCall = { source: 'call', callId: means.callId as string, ...RANGE };
			const { binary } = await get('recording:download', byCall);
			const bytes = binary.map((file) => Buffer.from(file?.data ?? '', 'base64').toString());
			expect(bytes).toEqual([SOUND]);
			const asked = pbx.requests.find(({ path }) => path.includes('/recorded/'));
			expect(decodeURIComponent(asked?.path ?? '')).toBe(
				String(means.recordingUrl).replace(OLD_HOST, ''),
			);
			expect(asked?.headers['x-auth-token']).toBe(CORPUS_TOKEN);
		},
	);
});
