import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeDocs } from '../../sandbox/docs';

const ROOT = join(__dirname, '../..');

test('the documents made from the sandbox are current (else: npx tsx sandbox/docs)', async () => {
	for (const [path, text] of Object.entries(await makeDocs())) {
		expect({ file: basename(path), text: await readFile(path, 'utf8') }).toEqual({
			file: basename(path),
			text,
		});
	}
});

test('the documents come out the same each time', async () => {
	expect(await makeDocs()).toEqual(await makeDocs());
});

test('every control endpoint and every row is documented', async () => {
	const text = await readFile(join(ROOT, 'sandbox/README.md'), 'utf8');
	const sources = await Promise.all(
		['calls', 'crm', 'faults', 'live', 'logs', 'records', 'state', 'webhooks'].map(
			async (name) => await readFile(join(ROOT, `sandbox/control/${name}.ts`), 'utf8'),
		),
	);
	const paths = sources.flatMap((source) =>
		[...source.matchAll(/app\.(?:get|post|put|patch|delete)\(\s*'([^']+)'/g)].map(([, path]) =>
			String(path).replaceAll(/:(\w+)/g, '{$1}'),
		),
	);
	expect(paths.length).toBeGreaterThan(20);
	const known = (path: string) =>
		text.includes(`/sandbox${path}`) || text.includes(`/sandbox${path.replace('{id}', '{file}')}`);
	expect(paths.filter((path) => !known(path))).toEqual([]);
});
