import { createWriteStream, existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';

import { WAITS } from '../../nodes/VirtualPbx/triggers/callRecord/calls';
import { makeCertificate } from '../support/certificate';
import { credentialOf, operate, recordTriggerOn, recordOf } from '../support/operate';
import { useScriptedPbx } from '../support/scriptedPbx';

/** Where the PBX redirects a path. */
let locations: Record<string, string> = {};
beforeEach(() => void (locations = {}));

const pbx = useScriptedPbx(
	({ path }) => {
		const location = locations[path];
		if (location) return { status: 302, headers: { location } };
		const sound = { body: 'sound', headers: { 'content-type': 'audio/mpeg' } };
		return path.startsWith('/rec') ? sound : undefined;
	},
	makeCertificate(['localhost']),
);

async function download(REC_LINK: string) {
	const credential = await credentialOf(pbx, { ignoreSslIssues: true });
	const items = [{ REC_LINK, REC_FILE: 'a.mp3' }];
	const { error } = await operate(credential, 'recording:download', { source: 'item' }, { items });
	const fetched = pbx.requests.filter(({ path }) => path.startsWith('/rec'));
	const tokens = fetched.map(({ headers }) => headers['x-auth-token']);
	return { error, paths: fetched.map(({ path }) => path), tokens };
}

describe('a recording of a PBX with https', () => {
	it.each(['http://127.0.0.1/rec/', 'http://127.0.0.1:80/rec/', 'http://127.0.0.1/rec'])(
		'is fetched over https where its link says http: %s',
		async (link) => {
			const { error, tokens } = await download(link);
			expect(error).toBeUndefined();
			expect(tokens).toEqual(['token-1']);
		},
	);

	it('stays with https where a redirect leads to http on the same host', async () => {
		locations = { '/rec/a.mp3': 'http://127.0.0.1/rec/b.mp3' };
		const { error, paths } = await download(`${pbx.url}/rec/`);
		expect(error).toBeUndefined();
		expect(paths).toEqual(['/rec/a.mp3', '/rec/b.mp3']);
	});

	it.each([
		['another port', 'http://127.0.0.1:8080/rec/', 'http://127.0.0.1:8080'],
		['another host', 'http://localhost/rec/', 'http://localhost'],
	])('is refused at %s, with scheme and port of both sides', async (_, link, origin) => {
		const { error, paths } = await download(link);
		expect(error?.message).toContain(`The recording is on ${origin}, which is neither`);
		expect(error?.message).toContain(`(${pbx.url})`);
		expect(paths).toEqual([]);
	});
});

const SOUND = `RIFF${'sound'.repeat(400_000)}`;
const REC = { 'content-type': 'audio/wav' };
let records: object[] = [];
const plain = useScriptedPbx(({ path }) => {
	if (path.endsWith('/cdrs')) return { body: { data: records, status: 'success' } };
	return path.startsWith('/rec/') ? { body: SOUND, headers: REC } : undefined;
});

const systemError = (code: string) =>
	Object.assign(new Error(`${code}: open '/n8n/storage/workflows/1/a'`), { code });
const s3Error = new Error('Request to S3 failed', { cause: { name: 'AccessDenied' } });
const tooLarge = new Error(
	'Failed to write binary file "a.wav" because its size of 600 MB exceeds the max size limit of 512 MB set for `database` mode.',
);

/** A store of n8n's that takes some of the file, and then fails. */
const failing = (error: Error) => async (_: unknown, stream: unknown) => {
	for await (const piece of stream as Readable) {
		void piece;
		throw error;
	}
};
/** A disk that is really full, on Linux. */
const full = existsSync('/dev/full')
	? async (_: unknown, stream: unknown) =>
			await pipeline(stream as Readable, createWriteStream('/dev/full'))
	: failing(systemError('ENOSPC'));

const DENIED = "n8n isn't allowed to write there";
const STORES: Array<[string, (at: unknown, stream: unknown) => Promise<void>, string, RegExp]> = [
	['the disk is full', full, 'the disk is full', /Free up space.+run again/],
	['it is read-only', failing(systemError('EROFS')), DENIED, /permissions of the folder/],
	['it is of someone else', failing(systemError('EACCES')), DENIED, /permissions of the folder/],
	['S3 refuses', failing(s3Error), 'its storage failed (Request to S3 failed)', /S3 settings/],
	['the file is too large', failing(tooLarge), 'it is too large', /N8N_DEFAULT_BINARY_DATA_MODE/],
];

describe.each(STORES)("n8n's own storage, where %s", (_, store, reason, remedy) => {
	beforeEach(() => {
		jest.spyOn(Container.get(BinaryDataService), 'store').mockImplementation(store as never);
	});
	afterEach(() => void jest.restoreAllMocks());
	const words = `n8n couldn't store the recording: ${reason}`;

	it('is named by Download as the cause, after one download', async () => {
		const { error, items } = await operate(await credentialOf(plain), 'recording:download', {
			source: 'url',
			recordingUrl: `${plain.url}/rec/a.wav`,
		});
		expect(items).toEqual([]);
		expect(error?.message).toContain(words);
		expect(error?.description).toMatch(remedy);
		expect(`${error?.message} ${error?.description}`).not.toMatch(/No response|\/n8n\/storage/);
		expect(plain.seen('GET', '/rec/a.wav')).toHaveLength(1);
	});

	it('is named by the Call Record Trigger in the item, after one download', async () => {
		WAITS.settleMs = 0;
		records = [];
		const parameters = { event: 'recordingReady', downloadRecording: true };
		const poller = await recordTriggerOn(plain, parameters);
		await poller.poll();
		records = [{ ...recordOf('c1', 5), REC_LINK: `${plain.url}/rec/`, REC_FILE: 'b.wav' }];
		const items = (await poller.poll()) ?? (await poller.poll());
		expect(items).toMatchObject([{ recordingReady: false }]);
		expect(items?.[0]?.recordingProblem).toContain(words);
		await poller.poll();
		expect(plain.seen('GET', '/rec/b.wav')).toHaveLength(1);
	});
});
