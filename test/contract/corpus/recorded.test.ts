import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { CORPUS_TOKEN, only, placeIn, recorded } from '../../support/corpus';
import { credentialOf, operate } from '../../support/operate';
import { startScriptedPbx } from '../../support/scriptedPbx';
import type { ScriptedAnswer } from '../../support/scriptedPbx';

const WHOLE = { after: '2026-11-24', before: '2026-11-25', returnAll: true };

/** Runs an operation on a PBX that answers everything but logins by `answer`. */
async function run(answer: ScriptedAnswer, name: string, parameters: INodeParameters = {}) {
	const pbx = await startScriptedPbx(({ path }) =>
		placeIn(path) === undefined ? undefined : answer,
	);
	const { items, error } = await operate(await credentialOf(pbx), name, parameters);
	await pbx.close();
	if (error) throw error;
	expect(JSON.stringify(items)).not.toContain(CORPUS_TOKEN);
	return items;
}

const onlyPage = (what: string): ScriptedAnswer => {
	const { next_start_key: _, ...body } = recorded(what).body;
	return { body };
};

describe('answers of a real Kazoo are read', () => {
	it.each<[string, string, INodeParameters]>([
		['callflow list', 'callflow:getMany', { returnAll: true }],
		['callflow filter, as it was sent', 'callflow:getMany', { returnAll: true }],
		['callflow filter, with plus', 'callflow:getMany', { returnAll: true }],
		['callflow get', 'callflow:get', { callflowId: '27d1ddf4a15a29471af8362f0fcc8dca' }],
		['webhook list', 'webhook:getMany', { returnAll: true }],
		['webhook get', 'webhook:get', { webhookId: '0177c61d1637e4aaa50698f28717457a' }],
		['attempts of one webhook', 'webhook:getAttempts', { returnAll: true }],
		['cdr list', 'cdr:getMany', { ...WHOLE, simplify: false }],
		['cdr list, filter of the table', 'cdr:getMany', { ...WHOLE, simplify: false }],
		['cdr list, filter of a field that is not stored', 'cdr:getMany', WHOLE],
	])('whole: %s', async (what, name, parameters) => {
		const { data } = recorded(what).body as { data: IDataObject | IDataObject[] };
		expect(await run(onlyPage(what), name, parameters)).toEqual([data].flat());
	});

	it('as attempts, but for the names and values of their body', async () => {
		const [attempt] = recorded('attempts of all').body.data as IDataObject[];
		const { req_body: _, ...rest } = attempt ?? {};
		const found = await run(onlyPage('attempts of all'), 'webhook:getAttempts', {
			returnAll: true,
		});
		expect(found).toMatchObject([rest]);
	});

	it.each<[string, string, INodeParameters]>([
		[
			'callflow create',
			'callflow:create',
			{ numbers: '1', flowSource: 'json', flow: '{"module":"a"}' },
		],
		['webhook create', 'webhook:create', { name: 'W', uri: 'https://n8n.acme.example/a' }],
	])('as what was made: %s', async (what, name, parameters) => {
		const { body, status } = recorded(what);
		expect(await run({ body, status }, name, parameters)).toEqual([body.data]);
	});

	it('as pages with a cursor, a record at the seam of both once', async () => {
		const { body: first } = recorded('cdr list, page of two');
		const { body: last } = onlyPage('cdr list, filter of the table') as { body: IDataObject };
		const pbx = await startScriptedPbx(({ path, query }) => {
			if (placeIn(path) === undefined) return undefined;
			return { body: query.get('start_key') === first.next_start_key ? last : first };
		});
		const parameters = { ...WHOLE, simplify: false };
		const { items } = await operate(await credentialOf(pbx), 'cdr:getMany', parameters);
		await pbx.close();
		const [out, inbound] = first.data as IDataObject[];
		const [again, next] = last.data as IDataObject[];
		expect(again).toEqual(inbound);
		expect(items).toEqual([out, inbound, next]);
	});

	it('as calls, whose times and parties are the record’s', async () => {
		const means = {
			callType: 'incoming',
			outcome: 'answered',
			missed: false,
			customerNumber: '79990000001',
			talkSeconds: 19995,
			recordingUrl: null,
			callId: '0e75de4e-in@10.0.0.5',
		};
		const items = await run(onlyPage('cdr list'), 'cdr:getMany', WHOLE);
		expect(items.map((item) => only(item, means))).toEqual([means, means]);
	});
});
