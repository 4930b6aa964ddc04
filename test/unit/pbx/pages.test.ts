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
	it.each<[string, Page[]]>([
		['the first page again, with the same cursor', [{ data: rows(0, 3), next_start_key: 'k' }]],
		[
			'the first page again, each time with another cursor',
			Array.from({ length: 40 }, (_, n) => ({ data: rows(0, 3), next_start_key: `k${n}` })),
		],
		[
			'the same, of rows without an ID, with the same cursor',
			[{ data: bare(0, 3), next_start_key: 'k' }],
		],
		[
			'two pages in turn',
			Array.from({ length: 40 }, (_, n) => ({
				data: n % 2 ? rows(3, 6) : rows(0, 3),
				next_start_key: n % 2 ? 'a' : 'b',
			})),
		],
		['nothing, with the same cursor', [{ data: [], next_start_key: 'k' }]],
		[
			'the last page again: its key is that of more rows than a page holds',
			[
				{ data: rows(0, 3), next_start_key: 7 },
				{ data: rows(2, 5), next_start_key: 7 },
			],
		],
		['a cursor that is an object', [{ data: rows(0, 3), next_start_key: { at: 7 } }]],
		['a cursor that is a list', [{ data: rows(0, 3), next_start_key: ['acc', 7] }]],
		['a cursor that is a number', [{ data: rows(0, 3), next_start_key: 63_962_000_000 }]],
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
			return { data: data(turn), next_start_key: `k${turn}` };
		});
		await expect(reading).rejects.toThrow('The PBX sent only part of the list');
		expect(sent).toBeLessThanOrEqual(10_000);
	});

	it.each([[null], [''], [[]], [{}], [false], [0], ['undefined'], ['null'], [undefined]])(
		'is complete where the cursor is %j',
		async (next_start_key) => {
			expect(await inTurn({ data: rows(0, 3), next_start_key })).toEqual({
				list: rows(0, 3),
				sent: 1,
			});
		},
	);
});

describe('the seam of two pages', () => {
	it.each<[string, Page[], IDataObject[]]>([
		[
			'more rows on both, among them one that has come meanwhile, and one that has changed',
			[
				{ data: rows(0, 5), next_start_key: 'k' },
				{
					data: [...rows(3, 4, { changed: true }), { id: 'new' }, ...rows(4, 7)],
				},
			],
			[...rows(0, 5), { id: 'new' }, ...rows(5, 7)],
		],
		[
			'the same page again as the last one',
			[{ data: rows(0, 3), next_start_key: 'k' }, { data: rows(0, 3) }],
			rows(0, 3),
		],
		[
			'rows without an ID',
			[
				{ data: [...bare(0, 1), ...bare(1, 2)], next_start_key: 'page 2' },
				{ data: [...bare(1, 2), ...bare(2, 3)] },
			],
			[...bare(0, 1), ...bare(1, 2), ...bare(1, 2), ...bare(2, 3)],
		],
		[
			'rows of which several share what they call an ID',
			[
				{ data: rows(0, 1).concat({ id: 'row 0', leg: 2 } as never), next_start_key: 'k' },
				{ data: [{ id: 'row 0', leg: 3 }] },
			],
			[{ id: 'row 0' }, { id: 'row 0', leg: 2 }, { id: 'row 0', leg: 3 }],
		],
		[
			'a row that comes again elsewhere is not on the seam',
			[{ data: rows(0, 2), next_start_key: 'k' }, { data: [{ id: 'row 0' }, { id: 'row 9' }] }],
			[...rows(0, 2), { id: 'row 0' }, { id: 'row 9' }],
		],
	])('gives each row once: %s', async (_, pages, expected) => {
		expect((await inTurn(...pages)).list).toEqual(expected);
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

const answerOf = (body: Readable, close = () => undefined as void) => ({
	statusCode: 200,
	headers: {},
	body,
	close,
});

/** The sizes of the pieces, and all their bytes. */
async function piecesOf(parts: Uint8Array[]) {
	const pieces: Buffer[] = [];
	const body = Readable.from(parts, { objectMode: false });
	for await (const piece of inLargePieces(answerOf(body))) pieces.push(piece as Buffer);
	return { sizes: pieces.map(({ length }) => length), bytes: Buffer.concat(pieces) };
}

describe('large pieces of a stream', () => {
	it('are of 1 MiB or more, but for the last', async () => {
		const parts = Array.from({ length: 40 }, () => Buffer.alloc(64 * 1024, 1));
		expect((await piecesOf(parts)).sizes).toEqual([MIB, MIB, MIB / 2]);
	});

	it('hold every byte in its place, however it came', async () => {
		const parts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 64 }), { maxLength: 50 });
		await fc.assert(
			fc.asyncProperty(parts, async (given) => {
				expect((await piecesOf(given)).bytes).toEqual(Buffer.concat(given));
			}),
		);
	});

	it('break off where the stream breaks off', async () => {
		const source = Readable.from(
			(async function* () {
				yield Buffer.alloc(10);
				throw new Error('aborted');
			})(),
		);
		await expect(buffer(inLargePieces(answerOf(source)))).rejects.toThrow('aborted');
	});

	it('break off when the stream is discarded while somebody waits', async () => {
		const source = new Readable({ read: () => undefined });
		const reading = buffer(inLargePieces(answerOf(source)));
		source.push('beginning');
		setTimeout(() => discard(answerOf(source)), 50);
		await expect(reading).rejects.toThrow('aborted');
	});
});
