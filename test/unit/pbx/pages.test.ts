import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Pbx } from '../../../nodes/VirtualPbx/pbx/client';
import { readList } from '../../../nodes/VirtualPbx/pbx/documents';
import { discard, inLargePieces } from '../../../nodes/VirtualPbx/pbx/response';
import type { PbxRequest } from '../../../nodes/VirtualPbx/pbx/types';

type Page = IDataObject & { data: IDataObject[]; next_start_key?: unknown };

/** Reads a list of a PBX that answers a cursor so; the requests that it took. */
async function listOf(answer: (cursor: string | undefined, turn: number) => Page) {
	let sent = 0;
	const send = async ({ query }: PbxRequest) =>
		answer(query?.start_key as string | undefined, sent++);
	const node = { name: 'Virtual PBX', type: 'test' };
	const list = await readList({ send, node } as unknown as Pbx, { path: ['cdrs'] });
	return { list, sent };
}
const inTurn = async (...pages: Page[]) =>
	await listOf((_, turn) => pages[Math.min(turn, pages.length - 1)] ?? { data: [] });

const rows = (from: number, to: number, more: IDataObject = {}) =>
	Array.from({ length: to - from }, (_, n) => ({ id: `row ${from + n}`, ...more }));
const bare = (from: number, to: number) => rows(from, to).map(({ id }) => ({ name: id, at: '7' }));

describe('a list that the PBX announces to be longer than what it sends', () => {
	const page = (data: IDataObject[], next_start_key?: unknown) =>
		({ data, next_start_key }) as Page;
	const many = (make: (turn: number) => Page) => Array.from({ length: 40 }, (_, n) => make(n));
	it.each<[string, Page[]]>([
		['the first page again, with the same cursor', [page(rows(0, 3), 'k')]],
		['the first page again, each time with another cursor', many((n) => page(rows(0, 3), `k${n}`))],
		['the same, of rows without an ID, with the same cursor', [page(bare(0, 3), 'k')]],
		['two pages in turn', many((n) => (n % 2 ? page(rows(3, 6), 'a') : page(rows(0, 3), 'b')))],
		['nothing, with the same cursor', [page([], 'k')]],
		[
			'the last page again: its key is that of more rows than a page holds',
			[page(rows(0, 3), 7), page(rows(2, 5), 7)],
		],
		...[{ at: 7 }, ['acc', 7], 63_962_000_000].map((cursor): [string, Page[]] => [
			`a cursor such as ${JSON.stringify(cursor)} again`,
			[page(rows(0, 3), cursor)],
		]),
	])('fails: %s', async (_, pages) => {
		await expect(inTurn(...pages)).rejects.toMatchObject({
			message: 'The PBX sent only part of the list',
			description: expect.stringContaining('next_start_key'),
		});
	});

	it.each<[string, (turn: number) => IDataObject[]]>([
		['empty pages', () => []],
		['ever new rows', (turn) => rows(turn, turn + 1)],
	])('ends at a bound where the cursor always changes: %s', async (_, data) => {
		let sent = 0;
		const reading = listOf((_cursor, turn) => {
			sent = turn + 1;
			return page(data(turn), `k${turn}`);
		});
		await expect(reading).rejects.toThrow('The PBX sent only part of the list');
		expect(sent).toBeLessThanOrEqual(10_000);
	});

	it.each([[null], [''], [[]], [{}], [false], [0], ['undefined'], ['null'], [undefined]])(
		'is complete where the cursor is %j',
		async (cursor) => {
			expect(await inTurn(page(rows(0, 3), cursor))).toEqual({ list: rows(0, 3), sent: 1 });
		},
	);

	it.each<[string, IDataObject[], IDataObject[], IDataObject[]]>([
		[
			'more rows on both pages, among them one that has come meanwhile, and one that has changed',
			rows(0, 5),
			[...rows(3, 4, { changed: true }), { id: 'new' }, ...rows(4, 7)],
			[...rows(0, 5), { id: 'new' }, ...rows(5, 7)],
		],
		['the same page again as the last one', rows(0, 3), rows(0, 3), rows(0, 3)],
		['rows without an ID', bare(0, 2), bare(1, 3), [...bare(0, 2), ...bare(1, 3)]],
		[
			'rows of which several share what they call an ID',
			[...rows(0, 1), ...rows(0, 1, { leg: 2 })],
			rows(0, 1, { leg: 3 }),
			[...rows(0, 1), ...rows(0, 1, { leg: 2 }), ...rows(0, 1, { leg: 3 })],
		],
		[
			'a row that comes again elsewhere is not on the seam',
			rows(0, 2),
			[{ id: 'row 0' }, { id: 'row 9' }],
			[...rows(0, 2), { id: 'row 0' }, { id: 'row 9' }],
		],
	])('gives each row at the seam of two pages once: %s', async (_, first, second, expected) => {
		expect((await inTurn(page(first, 'k'), page(second))).list).toEqual(expected);
	});

	it('takes time in proportion to the list', async () => {
		const timeOf = async (pages: number) => {
			const began = process.cpuUsage();
			const { list } = await listOf((cursor) => {
				const place = Number(cursor ?? 0);
				const data = Array.from({ length: 50 }, () => ({ name: 'alike', at: 'x' }));
				return { data, next_start_key: place + 50 < pages * 50 ? place + 50 : undefined };
			});
			expect(list).toHaveLength(pages * 50);
			const { user, system } = process.cpuUsage(began);
			return (user + system) / 1000;
		};
		await timeOf(200);
		const [short, long] = [await timeOf(200), await timeOf(2000)];
		expect(long).toBeLessThan(60 * short + 200);
	});
});

const MIB = 2 ** 20;

describe('large pieces of a stream', () => {
	const answerOf = (body: Readable) => ({
		statusCode: 200,
		headers: {},
		body,
		close: () => undefined,
	});

	it('break off when the stream is discarded while somebody waits', async () => {
		const source = new Readable({ read: () => undefined });
		const reading = buffer(inLargePieces(answerOf(source)));
		source.push('beginning');
		setTimeout(() => discard(answerOf(source)), 50);
		await expect(reading).rejects.toThrow('aborted');
	});

	it('are of 1 MiB or more, but for the last, and hold every byte in its place', async () => {
		const sizes = fc.array(fc.constantFrom(1, 64, 300_000, MIB, 2 * MIB), { maxLength: 12 });
		await fc.assert(
			fc.asyncProperty(sizes, async (given) => {
				const parts = given.map((size, index) => Buffer.alloc(size, index));
				const body = Readable.from(parts, { objectMode: false });
				const pieces: Buffer[] = [];
				for await (const piece of inLargePieces(answerOf(body))) pieces.push(piece as Buffer);
				expect(Buffer.concat(pieces).equals(Buffer.concat(parts))).toBe(true);
				expect(pieces.slice(0, -1).filter(({ length }) => length < MIB)).toEqual([]);
			}),
			{ numRuns: 50 },
		);
	});
});
