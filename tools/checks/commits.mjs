// Checks the commits since a base: subjects of at most 72 characters, and a body that says why.
// Usage: node tools/checks/commits.mjs [base], by default main
import { execFileSync } from 'node:child_process';
import { ROOT } from '../setup/paths.mjs';

const MAX_SUBJECT = 72;

const [base = 'main'] = process.argv.slice(2);
const args = ['log', '--no-merges', '--format=%h%x00%s%x00%b%x01', `${base}..HEAD`];
const commits = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\x01');
for (const commit of commits) {
	const [hash, subject = '', body = ''] = commit.trim().split('\0');
	if (hash === '') continue;
	const faults = [];
	if (subject.length > MAX_SUBJECT)
		faults.push(`its subject has ${subject.length} characters, at most ${MAX_SUBJECT}`);
	if (body.trim() === '') faults.push('it has no body that says why');
	if (faults.length === 0) continue;
	console.error(`✖ ${hash} ${subject}: ${faults.join('; ')}`);
	process.exitCode = 1;
}
