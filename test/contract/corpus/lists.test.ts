import type { IDataObject } from 'n8n-workflow';
import { credentialOf, operate, placeIn, readCorpus, titled } from '../../support/corpus';
import type { Entry } from '../../support/corpus';
import { startScriptedPbx } from '../../support/scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx } from '../../support/scriptedPbx';

interface Pages extends Omit<Entry, 'body'> {
	pages: Array<IDataObject & { data: IDataObject[] }>;
	/** How many rows there are, and with which cursors the further pages are asked for. */
	means: { rows: number; cursors: string[] };
}

const PAGES = readCorpus<Pages[]>('pages');
const { secret, attempts } = readCorpus<{ secret: string; attempts: Entry[] }>('attempts');

describe('lists of the platform', () => {
	let pbx: ScriptedPbx;
	let answer: (place: string, cursor: string | null) => ScriptedAnswer;
	beforeAll(async () => {
		pbx = await startScriptedPbx(({ path, query }) => {
			const place = placeIn(path);
			return place === undefined ? undefined : answer(place, query.get('start_key'));
		});
	});
	beforeEach(() => void pbx.requests.splice(0));
	afterAll(async () => await pbx.close());

	describe.each(titled(PAGES))('in pages: %s', (_, { pages, means }) => {
		beforeEach(() => {
			answer = (_place, cursor) => ({
				body: pages[cursor === null ? 0 : means.cursors.indexOf(cursor) + 1] ?? { data: [] },
			});
		});

		it.each([
			['callflows', 'callflow:getMany', {}],
			['cdrs', 'cdr:getMany', { simplify: false }],
			['webhooks', 'webhook:getMany', {}],
			['webhooks/attempts', 'webhook:getAttempts', {}],
		])('%s are read to the end', async (place, name, parameters) => {
			const account = await credentialOf(pbx);
			const { items, error } = await operate(account, name, { returnAll: true, ...parameters });
			expect(error).toBeUndefined();
			expect(items).toEqual(pages.flatMap(({ data }) => data));
			expect(items).toHaveLength(means.rows);
			const asked = pbx.requests.filter(({ path }) => placeIn(path) === place);
			expect(asked.map(({ query }) => query.get('start_key'))).toEqual([null, ...means.cursors]);
		});

		it('are read no further than the limit', async () => {
			const account = await credentialOf(pbx);
			const { items } = await operate(account, 'webhook:getMany', { returnAll: false, limit: 2 });
			expect(items).toEqual(pages.flatMap(({ data }) => data).slice(0, 2));
		});
	});

	describe('of delivery attempts', () => {
		const shown = (id: string) => {
			const body = attempts.map((attempt) => attempt.body);
			return { items: id === '' ? body : body.filter(({ hook_id }) => hook_id === id) };
		};
		beforeEach(() => {
			answer = (place) => {
				const id = /^webhooks\/(?:(.+)\/)?attempts$/.exec(place)?.[1] ?? '';
				const { items } = shown(id);
				return { body: { data: items, page_size: items.length, status: 'success' } };
			};
		});

		it.each([
			['all webhooks', {}],
			['one webhook', { attemptsOf: 'one', webhookId: '40004000400040004000400040004000' }],
		])('give them whole, in both forms: %s', async (_, parameters) => {
			const { items, error } = await operate(await credentialOf(pbx), 'webhook:getAttempts', {
				returnAll: true,
				...parameters,
			});
			expect(error).toBeUndefined();
			const masked = JSON.stringify(shown('').items).replaceAll(secret, '***');
			expect(items).toEqual(JSON.parse(masked));
		});
	});
});
