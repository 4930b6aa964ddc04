import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findPass, notePass, stateOf } from '../../../tools/checks/passed.mjs';

describe('which slices of npm test need not run again', () => {
	let root: string;
	const write = (name: string, text: string) => writeFileSync(path.join(root, name), text);
	const passes = () => path.join(root, 'ignored', 'passed.json');
	const isPassed = (slice = 'unit') => findPass(passes(), slice, stateOf(root)) !== undefined;

	beforeEach(() => {
		root = mkdtempSync(path.join(tmpdir(), 'virtual-pbx-passed-'));
		execFileSync('git', ['init', '--quiet'], { cwd: root });
		write('.gitignore', 'ignored/\n');
		write('a.ts', '1');
	});

	afterEach(() => rmSync(root, { recursive: true, force: true }));

	it('is a slice that passed on the same files', () => {
		expect(isPassed()).toBe(false);
		notePass(passes(), 'unit', stateOf(root), 12);

		expect(findPass(passes(), 'unit', stateOf(root))?.passed).toBe(12);
		expect(isPassed('e2e')).toBe(false);
	});

	it.each([
		['changed', () => write('a.ts', '2')],
		['new', () => write('b.ts', '')],
		['gone', () => rmSync(path.join(root, 'a.ts'))],
	])('is none once a file is %s', (_, change) => {
		notePass(passes(), 'unit', stateOf(root), 12);
		change();

		expect(isPassed()).toBe(false);
	});

	it('is none with another n8n', () => {
		notePass(passes(), 'unit', stateOf(root), 12);
		process.env.OTHER_N8N = '/elsewhere/n8n';
		try {
			expect(isPassed()).toBe(false);
		} finally {
			delete process.env.OTHER_N8N;
		}
	});

	it('is none where git cannot tell which files count', () => {
		rmSync(path.join(root, '.git'), { recursive: true });
		notePass(passes(), 'unit', stateOf(root), 12);

		expect(isPassed()).toBe(false);
	});
});
