import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { discard, inLargePieces } from '../../../nodes/VirtualPbx/pbx/response';

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
