import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { CORPUS_TOKEN, placeIn, readCorpus, RECORDINGS, titled } from '../../support/corpus';
import { credentialOf, operate } from '../../support/operate';
import { loginAnswer, useScriptedPbx } from '../../support/scriptedPbx';
import type { ScriptedAnswer } from '../../support/scriptedPbx';

interface Refusal {
	what: string;
	status: number;
	body: IDataObject | string;
	/** Where only reading or only writing can meet it. */
	on?: 'read' | 'write';
	means: { words?: string[]; fields?: string[] };
}

interface LoginAnswer extends Omit<Refusal, 'means'> {
	means?: IDataObject;
	/** What the user has to read of it; absent where the login works. */
	refused?: string[];
}

/** What a real Kazoo answered to logins, and with errors to everything else. */
const ofLogins = RECORDINGS.filter(({ request }) => request.path.endsWith('user_auth'));
const refused = RECORDINGS.filter((one) => one.status >= 400 && !ofLogins.includes(one));

const ERRORS = [...readCorpus<Refusal[]>('errors'), ...(refused as unknown as Refusal[])];
const LOGINS = [...readCorpus<LoginAnswer[]>('logins'), ...(ofLogins as LoginAnswer[])];

const FLOW = { module: 'hangup', data: {}, children: {} };
const READS: Array<[string, INodeParameters]> = [
	['callflow:get', { callflowId: 'cf1' }],
	['webhook:getMany', { returnAll: true }],
	['cdr:getMany', { returnAll: true, after: '2026-11-20', before: '2026-11-21' }],
];
const WRITES: Array<[string, INodeParameters]> = [
	['callflow:create', { numbers: '555', flowSource: 'json', flow: JSON.stringify(FLOW) }],
	['webhook:create', { name: 'W', uri: 'https://n8n.acme.example/a' }],
	['callflow:delete', { callflowId: 'cf1' }],
];

/** A status after which reading and deleting are tried again, which takes time. */
const isRepeated = (status: number) => [429, 503, 504].includes(status);

const all = (error: (Error & { description?: string }) | undefined) =>
	`${error?.message ?? ''}\n${error?.description ?? ''}`;

/** The sentences of an answer, which are the PBX's own. */
const sentencesIn = (body: unknown): string[] =>
	[...JSON.stringify(body).matchAll(/"message":"([^"]* [^"]*)"/g)].map(([, text = '']) => text);

/** Fails unless people can read it, and nothing in it but the PBX's own sentences belongs to machines only. */
function expectReadable(
	error: (Error & { description?: string }) | undefined,
	body?: unknown,
): void {
	const { message = '' } = error ?? {};
	expect(message).toMatch(/^(?:["“\p{Lu}]|https?:)/u);
	expect(message.length).toBeLessThan(400);
	// The PBX's own words may stand in quotation marks, or after the field that they are about; the rest is ours.
	const said = sentencesIn(body ?? '').reduce((rest, text) => rest.replace(text, ''), message);
	expect(said.replace(/["“][^"”]*["”]/g, '')).not.toMatch(/\b[a-z]+_[a-z_]+\b/);
	expect(all(error)).not.toMatch(/\[object |undefined|\bnull\b|[{}<>]|":|\n\s+at |node_modules/);
	expect(JSON.stringify({ ...error, message: all(error) })).not.toMatch(
		new RegExp(`${CORPUS_TOKEN}|secret-word`),
	);
}

describe('what the PBX answers when it refuses', () => {
	let login: ScriptedAnswer;
	let answer: ScriptedAnswer;
	const pbx = useScriptedPbx(({ path }) => (placeIn(path) === undefined ? login : answer));
	beforeEach(() => {
		login = loginAnswer(CORPUS_TOKEN);
		answer = { body: { data: [], status: 'success' } };
	});

	const cases = titled(ERRORS).flatMap(([what, one]) =>
		[...(one.on === 'write' ? [] : READS), ...(one.on === 'read' ? [] : WRITES)]
			.filter(([name]) => !isRepeated(one.status) || name.endsWith('create'))
			.map(([name, parameters]) => [what, name, one, parameters] as const),
	);

	it.each(cases)('is readable: %s, at %s', async (_what, name, refusal, parameters) => {
		answer = refusal;
		const { error, items } = await operate(await credentialOf(pbx), name, parameters);
		expect(items).toEqual([]);
		expectReadable(error, refusal.body);
		const { words = [], fields = [] } = refusal.means;
		for (const word of words) expect(all(error).toLowerCase()).toContain(word.toLowerCase());
		for (const field of fields) expect(all(error)).toContain(field);
	});

	it.each(LOGINS.filter(({ means }) => means).map((one) => [one.what, one] as const))(
		'is understood as a login: %s',
		async (_, one) => {
			login = one;
			const account = await credentialOf(pbx);
			const { items, error } = await operate(account, 'account:get');
			expect(error).toBeUndefined();
			expect(items).toEqual([one.means]);
			await operate(account, 'webhook:getMany');
			const [request] = pbx.requests.slice(-1);
			expect(request?.path).toBe(`/v1/pbx/accounts/${String(one.means?.accountId)}/webhooks`);
			expect(request?.headers['x-auth-token']).toBe(CORPUS_TOKEN);
		},
	);

	it.each(LOGINS.filter(({ refused }) => refused).map((one) => [one.what, one] as const))(
		'is readable where it is a refused login: %s',
		async (_, one) => {
			login = one;
			const account = await credentialOf(pbx);
			for (const name of ['account:get', 'webhook:getMany']) {
				const { error, items } = await operate(account, name);
				expect(items).toEqual([]);
				expectReadable(error);
				for (const word of one.refused ?? []) expect(all(error)).toContain(word);
			}
		},
	);
});
