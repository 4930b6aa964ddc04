// `npm run docs:reliability`: runs the fault matrix and writes its table into test/faults/matrix.md.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const jest = path.join(root, 'node_modules/jest/bin/jest.js');
const args = ['--selectProjects', 'contract', '--forceExit', 'test/faults/matrix'];
const { status } = spawnSync(process.execPath, [jest, ...args], {
	cwd: root,
	stdio: 'inherit',
	env: { ...process.env, WRITE_RELIABILITY: '1' },
});
process.exitCode = status ?? 1;
