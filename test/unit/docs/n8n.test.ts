import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../../tools/docs/registered';
import { unless } from '../../support/unless';
import { read, readPages } from './markdown';

const MODULES = path.join(ROOT, '.n8n/node_modules');
const ofN8n = (file: string) => readFileSync(path.join(MODULES, file), 'utf8');

/** Returns the matching files of one of n8n's packages as one text. */
function sources(folder: string, files: RegExp): string {
	return readdirSync(path.join(MODULES, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => files.test(name))
		.map((name) => ofN8n(path.join(folder, name)))
		.join('\n');
}

const isInstalled = existsSync(path.join(MODULES, 'n8n'));
const describeInstalled = unless(
	isInstalled ? undefined : "claims about n8n: it isn't installed yet, which `npm run setup` does",
	describe,
);

const EXECUTIONS = '@n8n/config/dist/configs/executions.config.js';
const BINARY_DATA = 'n8n-core/dist/binary-data/binary-data.config.js';
const PACKAGES = 'n8n/dist/modules/community-packages/community-packages.config.js';

/** A page's claim, and the line of the pinned n8n version that proves it. */
const DEFAULTS: Array<[page: string, claim: string, file: string, line: string]> = [
	['docs/privacy.md', 'after 14 days', EXECUTIONS, 'pruneDataMaxAge = 336;'],
	['docs/privacy.md', 'more than 10,000', EXECUTIONS, 'pruneDataMaxCount = 10_000;'],
	['docs/privacy.md', 'once an hour', EXECUTIONS, 'softDelete = 60;'],
	['docs/privacy.md', 'about an hour after that', EXECUTIONS, 'pruneDataHardDeleteBuffer = 1;'],
	['docs/privacy.md', 'saves all of them by default', EXECUTIONS, "saveDataOnSuccess = 'all';"],
	['docs/credential.md', 'up to 15 minutes later', EXECUTIONS, 'hardDelete = 15;'],
	['docs/privacy.md', 'in queue mode, in its database', BINARY_DATA, "'queue' ? 'database' :"],
	['docs/run-at-scale.md', 'at most 512 MiB per file', BINARY_DATA, 'dbMaxFileSize = 512;'],
	['docs/install.md', 'from n8n 3.0 on', PACKAGES, 'unverifiedEnabled = true;'],
	[
		'docs/security-model.md',
		'`N8N_PAYLOAD_SIZE_MAX` (16 MiB)',
		'@n8n/config/dist/configs/endpoints.config.js',
		'payloadSizeMax = 16;',
	],
	[
		'docs/faq.md',
		'New York by default',
		'@n8n/config/dist/configs/generic.config.js',
		"timezone = 'America/New_York';",
	],
];

/** Labels in n8n's editor that pages mention. */
const LABELS = [
	...['Community nodes', 'Install a community node', 'Uninstall package'],
	...['Save successful production executions', 'Save failed production executions'],
	...['Save manual executions', 'From file', 'Data tables', 'Evaluations'],
	...['Execute step', 'Copy to editor', 'Copy debug information', 'About n8n'],
	...['Allowed HTTP Request Domains', 'Specific Domains'],
];

describeInstalled('the pinned n8n version', () => {
	it.each(DEFAULTS)('%s says “%s”', (page, claim, file, line) => {
		expect(read(page)).toContain(claim);
		expect(ofN8n(file)).toContain(line);
	});

	it('has the environment variables that pages mention', () => {
		const texts = readPages().map(({ text }) => text);
		const config = /(?:config|instance-settings|url\.service|dist\/index)\.js$/;
		const code = ['@n8n/config', 'n8n-core/dist', 'n8n/dist'].map((one) => sources(one, config));
		const namesIn = (all: string[]) =>
			new Set(all.join('\n').match(/\b(?:N8N|EXECUTIONS|GENERIC|WEBHOOK)_[A-Z\d_]+\b/g));
		const known = namesIn(code);
		const named = namesIn(texts);

		expect(named.size).toBeGreaterThan(20);
		expect([...named].filter((name) => !known.has(name))).toEqual([]);
	});

	it('has the editor labels that pages mention', () => {
		const editor = sources('n8n-editor-ui/dist/assets', /^src-.*\.js$/);
		const pages = readPages().map(({ text }) => text.replaceAll(' > ', '** **'));

		expect(LABELS.filter((name) => !editor.includes(`\`${name}\``))).toEqual([]);
		expect(LABELS.filter((name) => !pages.some((text) => text.includes(`**${name}**`)))).toEqual(
			[],
		);
	});
});
