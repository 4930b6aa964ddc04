import { makeCertificate } from '../support/certificate';
import { credentialOf, operate } from '../support/operate';
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
