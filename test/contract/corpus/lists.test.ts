import type { IDataObject } from 'n8n-workflow';
import { placeIn, readCorpus, titled } from '../../support/corpus';
import type { Entry } from '../../support/corpus';
import { credentialOf, operate } from '../../support/operate';
import { useScriptedPbx } from '../../support/scriptedPbx';
import type { ScriptedAnswer } from '../../support/scriptedPbx';

interface Pages extends Omit<Entry, 'body'> {
	pages: Array<IDataObject & { data: IDataObject[] }>;
	/** How many rows there are, and with which cursors the further pages are asked for. */
	means: { rows: number; cursors: string[] };
}

const PAGES = readCorpus<Pages[]>('pages');

describe('lists of the platform', () => {
	let answer: (place: string, cursor: string | null) => ScriptedAnswer;
	const pbx = useScriptedPbx(({ path, query }) => {
		const place = placeIn(path);
		return place === undefined ? undefined : answer(place, query.get('start_key'));
	});

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
	});
});
