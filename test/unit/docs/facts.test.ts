import type { IDataObject } from 'n8n-workflow';

import { defaultSeed } from '../../../sandbox/model/default-seed';
import { registeredCredentials, registeredNodes } from '../../../tools/docs/registered';
import { samples } from '../../../tools/docs/samples';
import { listExamples, readExampleFile } from '../../support/exampleTexts';
import { read } from './markdown';

const json = (file: string) =>
	JSON.parse(read(file)) as { version: string; dependencies: Record<string, string> };

const VERSION = /\b2\.\d+\.\d+\b/g;
const versionsIn = (text = ''): string[] => [...new Set(text.match(VERSION) ?? [])];
const byAge = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true });

const PINNED = json('.n8n/package.json').dependencies.n8n ?? '';

/** Finds all texts of a node description that the editor shows. */
function textsIn(part: unknown): string[] {
	const shown = ['displayName', 'description', 'hint', 'placeholder', 'action', 'name'];
	return Object.entries((part ?? {}) as IDataObject).flatMap(([key, value]) => {
		if (typeof value === 'object') return textsIn(value);
		const isShown = shown.includes(key) && String(value).includes(' ');
		return isShown ? [String(value)] : [];
	});
}

describe('versions', () => {
	const tested = versionsIn(
		read('docs/compatibility.md')
			.match(/^\| 2\..*$/gm)
			?.join('\n'),
	);
	const oldest = [...tested].sort(byAge)[0] ?? '';

	it('of n8n that docs list as tested are the pinned one and older ones, and releases and CI run the oldest', () => {
		expect(tested[0]).toBe(PINNED);
		expect(read('tools/checks/slices.mjs')).toContain(`OLDER_N8N = '${oldest}'`);
		expect(read('.github/workflows/ci.yml')).toContain(`n8n: ['${oldest}', latest]`);
		expect(versionsIn(read('README.md'))).toEqual([PINNED, oldest]);
	});

	it.each(['docs/queue-mode/compose.yaml', 'docs/front-door/compose.yaml'])(
		'%s starts the pinned n8n version, without settings that n8n 3.0 removes',
		(file) => {
			expect(versionsIn(read(file))).toEqual([PINNED]);
			expect(read(file)).not.toMatch(
				/OFFLOAD_MANUAL|N8N_MIGRATE_FS|DB_PING_TIMEOUT:|BINARY_DATA_MODE: default/,
			);
		},
	);

	it("in the bug form match the package's and the pinned n8n version", () => {
		const { version } = json('package.json');

		expect(read('.github/ISSUE_TEMPLATE/bug.yml')).toContain(`package ${version}, n8n ${PINNED},`);
	});
});

describe('examples', () => {
	const PERIODS: Array<[RegExp, string]> = [
		[/^Calls of the Last (\d+) Hours$/, '={{ $now.minus({ hours: $1 }) }}'],
		[/^Calls of the (?:Last )?Day$/, '={{ $now.minus({ days: 1 }) }}'],
		[/^Calls of the Week$/, "={{ $now.startOf('week').minus({ weeks: $json.weeksAgo }) }}"],
		[/^Calls of the Month$/, "={{ DateTime.fromFormat($json.month, 'yyyy-MM') }}"],
	];

	it('read the period in their node names', () => {
		const nodes = listExamples().flatMap((file) =>
			readExampleFile(file).nodes.map((node) => ({ file, ...node })),
		);
		const named = nodes.filter(({ name }) => name.startsWith('Calls of the '));
		const wrong = named.filter(({ name, parameters }) => {
			const [pattern, after] = PERIODS.find(([form]) => form.test(name)) ?? [];
			return !pattern || parameters.after !== name.replace(pattern, after ?? '');
		});

		expect(wrong.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
		expect(named).not.toEqual([]);
	});

	it('play only sounds that the sandbox has', () => {
		const sounds = defaultSeed.accounts.flatMap((account) => account.sounds as IDataObject[]);
		const played = listExamples().flatMap((file) =>
			[...read(`examples/${file}`).matchAll(/"filename": "([^"=]+)"/g)].map(([, name]) => name),
		);
		expect(played).not.toEqual([]);
		expect(sounds.map(({ filename }) => filename)).toEqual(expect.arrayContaining(played));
	});
});

describe('the credential', () => {
	it('has a row in the docs for each field, including those of a single platform', async () => {
		const [{ properties } = { properties: [] }] = await registeredCredentials();
		const shown = properties.filter(({ type }) => type !== 'hidden');
		const named = shown.map(({ displayName }) => displayName.replace(/ \(.*/, ''));
		const page = read('docs/credential.md');

		expect(named).toContain('Base URL');
		expect(named.filter((name) => !page.includes(`**${name}**`))).toEqual([]);
	});
});

describe('the editor', () => {
	it("avoids the PBX's own terms, which users don't know", async () => {
		const nodes = await registeredNodes();
		const texts = nodes.flatMap(({ description }) => textsIn(description));

		expect(texts).toContain('Get webhook delivery attempts');
		expect(texts.filter((text) => /Gregorian|\blegs?\b|req_[a-z]+/i.test(text))).toEqual([]);
	});
});

describe('output', () => {
	it.each(['call:getMany', 'cdr:getMany', 'virtualPbxRecordTrigger'])(
		'of %s has ten simplified fields, plus details',
		(name) => {
			const { details: _, ...fields } = samples()[name] as IDataObject;
			expect(Object.keys(fields)).toHaveLength(10);
		},
	);

	it.each(Object.keys(samples()))('of %s has each field documented', (name) => {
		const { details = {}, ...fields } = samples()[name] as IDataObject;
		const pages = ['events', 'records', 'routing'].map((page) => read(`docs/${page}.md`)).join('');
		const names = [...Object.keys(fields), ...Object.keys(details as IDataObject)];

		expect(names).not.toEqual([]);
		expect(names.filter((field) => !pages.includes(`\`${field}\``))).toEqual([]);
	});
});

it('troubleshooting lists every reason for ignoring a delivery', () => {
	const source = read('nodes/VirtualPbx/triggers/callEvent/select.ts');
	const lines = source.split('\n').filter((line) => /\bignored(:|\.push\()/.test(line));
	const reasons = lines.flatMap((line) => line.match(/'[a-z]+ [a-z ]+'|`[a-z ]+/g) ?? []);
	const named = reasons.map((reason) => reason.replace(/['`]/g, '').trim());

	expect(named).toContain('leg not chosen');
	expect(
		named.filter((reason) => !read('docs/troubleshooting.md').includes(`\`${reason}`)),
	).toEqual([]);
});
