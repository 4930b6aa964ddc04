import type { ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';

import { LIMITS, TIMEOUTS } from '../../nodes/VirtualPbx/pbx/response';
import { credentialOf, operate } from '../support/operate';
import { startScriptedPbx } from '../support/scriptedPbx';
import type { Script, ScriptedAnswer, ScriptedPbx } from '../support/scriptedPbx';

const usual = { limits: { ...LIMITS }, timeouts: { ...TIMEOUTS } };
const MIB = 2 ** 20;
let server: ScriptedPbx;
/** What the PBX has sent, in bytes, before it noticed that nobody reads on. */
let sent = 0;
/** Whether the PBX still sends. */
let open = 0;

beforeEach(() => {
	sent = 0;
	open = 0;
	Object.assign(LIMITS, { listBytes: 4 * MIB, recordingBytes: 4 * MIB, listRows: 5000 });
});
afterEach(async () => {
	Object.assign(LIMITS, usual.limits);
	Object.assign(TIMEOUTS, usual.timeouts);
	await server.close();
});

const ROW = JSON.stringify({ id: 'i'.repeat(32), name: 'n'.repeat(900) });
const ROWS = `${ROW},`.repeat(64);

/** Sends the same piece again and again, as fast as it's taken, or one byte at each interval. */
function endless(beginning: string, piece: string, everyMs = 0, type = 'application/json') {
	return ({ status = 200 } = {}): ScriptedAnswer => ({
		raw: (response: ServerResponse) => {
			open++;
			response.on('close', () => open--);
			response.writeHead(status, { 'content-type': type }).write(beginning);
			if (everyMs > 0) {
				const drip = setInterval(() => response.write(piece), everyMs);
				response.on('close', () => clearInterval(drip));
				return;
			}
			const pour = () => {
				while (!response.destroyed) {
					sent += piece.length;
					if (!response.write(piece)) break;
				}
				if (!response.destroyed) response.once('drain', pour);
			};
			pour();
		},
	});
}
const bomb: ScriptedAnswer = {
	raw: (response) => {
		response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' });
		const gzip = createGzip();
		gzip.pipe(response);
		gzip.write('{"data":[');
		for (let size = 0; size < 64 * MIB; size += ROWS.length) gzip.write(ROWS);
		gzip.end(`${ROW}]}`);
	},
};
/** A page of a list that never ends: its cursor always changes. */
let pages = 0;
const page = (rows: number, size = 10): ScriptedAnswer => ({
	body: {
		data: Array.from({ length: rows }, (_, n) => ({ id: `${pages}-${n}`, name: 'n'.repeat(size) })),
		next_start_key: `key-${++pages}`,
	},
});

const on =
	(end: string, answer: () => ScriptedAnswer): Script =>
	({ path }) =>
		path.includes(end) ? answer() : undefined;

/** Runs an operation on such a PBX. With `limits`, the process has logged in before they count. */
async function run(
	script: Script,
	name: string,
	parameters = {},
	limits?: Partial<typeof TIMEOUTS>,
) {
	server = await startScriptedPbx(script);
	const credential = await credentialOf(server);
	if (limits) await operate(credential, 'account:get');
	Object.assign(TIMEOUTS, limits);
	const result = await operate(credential, name, parameters);
	for (let waits = 0; open > 0 && waits < 200; waits++)
		await new Promise((resolve) => setTimeout(resolve, 50));
	return { ...result, said: `${result.error?.message} ${result.error?.description}` };
}
const list = async (answer: () => ScriptedAnswer, limits?: Partial<typeof TIMEOUTS>) =>
	await run(on('/callflows', answer), 'callflow:getMany', { returnAll: true }, limits);

describe('a PBX that sends without an end', () => {
	it.each<[string, () => ScriptedAnswer, string]>([
		['a list', endless('{"data":[', ROWS), "The PBX's response is larger than 4 MiB"],
		['spaces', endless('', ' '.repeat(65_536)), "The PBX's response is larger than 4 MiB"],
		['a compressed list', () => bomb, "The PBX's response is larger than 4 MiB"],
		['many pages', () => page(100), "The PBX's list has more than 5,000 entries"],
		['large pages', () => page(50, 20_000), "The PBX's list is larger than 4 MiB"],
		['an entry', endless('{"data":[{"id":"', 'x'.repeat(65_536)), 'is larger than 4 MiB'],
	])('is left after the limit, once, and the error says so: %s', async (what, answer, words) => {
		pages = 0;
		const { said, items } = await list(answer);
		expect(said).toContain(words);
		expect(said).toContain('a shorter time range');
		expect(items).toEqual([]);
		expect(open).toBe(0);
		// Beyond the limit: what was under way.
		expect(sent).toBeLessThan(24 * MIB);
		if (!what.includes('pages')) expect(server.seen('GET', '/callflows')).toHaveLength(1);
	});

	it('is left after the time, even if something always arrives', async () => {
		const { said } = await list(endless('{"data":[', ' ', 20), { body: 400 });
		expect(said).toContain("The PBX's response didn't end within 1 minutes");
		expect(open).toBe(0);
		expect(server.seen('GET', '/callflows')).toHaveLength(1);
	});

	/** How each is sent, and the limit of time that ends it. */
	const FAST = ['fast', 'x'.repeat(65_536), 0, usual.timeouts.login] as const;
	const SLOWLY = ['slowly', 'x', 20, 1000] as const;

	it.each([FAST, SLOWLY])('is left in an error, too: %s', async (_, piece, everyMs, login) => {
		const answer = endless('{"message":"no', piece, everyMs);
		const { said } = await list(() => answer({ status: 400 }), { login });
		expect(said).toContain("Callflows couldn't be read: the PBX doesn't accept the values");
		expect(open).toBe(0);
	});

	it.each([FAST, SLOWLY])('is left in a login, too: %s', async (how, piece, everyMs, login) => {
		TIMEOUTS.login = login;
		const answer = endless('{"data":"', piece, everyMs);
		const { said } = await run(on('/user_auth', answer), 'callflow:getMany');
		expect(said).toMatch(how === 'fast' ? /isn't from a PBX API/ : /didn't respond in time/);
		expect(open).toBe(0);
	});

	it.each([FAST, SLOWLY])(
		'is left in a recording, without a second download: %s',
		async (how, piece, everyMs) => {
			const answer = endless(`ID3${FAST[1]}`, piece, everyMs, 'audio/mpeg');
			if (how === 'slowly') TIMEOUTS.recording = 400;
			server = await startScriptedPbx(on('/rec/', answer));
			const parameters = { source: 'url', recordingUrl: `${server.url}/rec/a.mp3` };
			const { error, items } = await operate(
				await credentialOf(server),
				'recording:download',
				parameters,
			);
			const words = how === 'fast' ? 'is larger than 4 MiB' : "didn't end within 1 minutes";
			expect(error?.message).toContain(`The PBX's recording ${words}`);
			expect(error?.description).toContain("Check the recording's address");
			expect(items).toEqual([]);
			expect(server.seen('GET', '/rec/a.mp3')).toHaveLength(1);
			expect(sent).toBeLessThan(24 * MIB);
		},
	);
});

it('takes a list that ends just below the limit', async () => {
	const rows = Array.from({ length: 4000 }, (_, n) => ({ id: `i${n}`, name: 'n'.repeat(900) }));
	const { items, error } = await list(() => ({ body: { data: rows } }));
	expect([error, items.length]).toEqual([undefined, 4000]);
});
