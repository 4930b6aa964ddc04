import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { registeredNodes, ROOT } from '../../../tools/docs/registered';

const aliases = (file: string) =>
	(
		JSON.parse(readFileSync(path.join(ROOT, 'nodes/VirtualPbx', file), 'utf8')) as {
			alias: string[];
		}
	).alias;

describe('the node panel', () => {
	// n8n merges the entries of a package and takes the aliases of the action node alone.
	it.each([
		'missed call',
		'voicemail',
		'call log',
		'call back',
		'call routing',
		'ringing',
		'phone',
		'telephony',
		'softphone',
		'telephone',
		'call recordings',
	])('finds the package by "%s"', (words) => {
		expect(aliases('VirtualPbx.node.json')).toContain(words);
	});
});

describe('each node', () => {
	it('leads to a page of its own', async () => {
		const pages = (await registeredNodes()).map(({ description }) => description.documentationUrl);
		const files = pages.map((page) => /\/blob\/main\/([^#]+)/.exec(page ?? '')?.[1] ?? 'none');

		expect(new Set(pages).size).toBe(pages.length);
		expect(files.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
	});
});
