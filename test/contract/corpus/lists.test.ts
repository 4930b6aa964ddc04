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

	const expectWhole = async (name: string, { pages, means }: Pages) => {
		answer = (_place, cursor) => ({
			body: pages[cursor === null ? 0 : means.cursors.indexOf(cursor) + 1] ?? { data: [] },
		});
		const parameters = { returnAll: true, simplify: false };
		const { items, error } = await operate(await credentialOf(pbx), name, parameters);
		expect(error).toBeUndefined();
		expect(items).toEqual(pages.flatMap(({ data }) => data));
		expect(items).toHaveLength(means.rows);
		const asked = pbx.requests.filter(({ path }) => placeIn(path) !== undefined);
		expect(asked.map(({ query }) => query.get('start_key'))).toEqual([null, ...means.cursors]);
	};

	it.each(titled(PAGES))('are read to the end: %s', async (_, entry) => {
		await expectWhole('cdr:getMany', entry);
	});

	it.each(['callflow:getMany', 'webhook:getMany', 'webhook:getAttempts'])(
		'are read to the end by %s',
		async (name) => await expectWhole(name, PAGES[0] as Pages),
	);
});
