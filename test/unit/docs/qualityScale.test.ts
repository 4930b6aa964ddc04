import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { coverageThreshold } from '../../../jest.config';
import { RESOURCES } from '../../../nodes/VirtualPbx/operations';
import { ROOT } from '../../../tools/docs/registered';
import { N8N_RULES } from './n8nRules';
import { readGrades, RULES } from './qualityScale';

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const grades = readGrades(read('docs/internals/quality-scale.yaml'));
const manifest = JSON.parse(read('package.json')) as Record<string, unknown>;
const operations = RESOURCES.flatMap((resource) => resource.operations);

/** What can be checked of a rule that is graded `done`. */
const CHECKS: Record<string, (() => unknown) | null> = {
	...N8N_RULES,
	brands: () => ['icons/virtualPbx.svg', 'icons/virtualPbx.dark.svg'].every(exists),
	'dependency-transparency': () => !('dependencies' in manifest),
	diagnostics: () => read('docs/troubleshooting.md').includes('## What to send with a report'),
	'config-flow-test-coverage': () => thresholdOf('./nodes/VirtualPbx/auth/') >= 95,
	'test-coverage': () => thresholdOf('global') >= 95,
	'docs-actions': () =>
		operations.every(({ name }) => read('docs/reference.md').includes(`: ${name}\n`)),
	'docs-examples': () => examples().length >= 8,
	'docs-high-level-description': () => read('README.md').length > 1000,
	'docs-installation-instructions': () => read('README.md').includes('## Install in your n8n'),
	'docs-known-limitations': () => read('docs/compatibility.md').includes('## Not tested'),
	'docs-removal-instructions': () => read('README.md').includes('To remove the package'),
	'docs-triggers': () =>
		['events', 'records', 'routing'].every((name) => exists(`docs/${name}.md`)),
	'docs-troubleshooting': () => exists('docs/troubleshooting.md'),
	'docs-use-cases': () => readdirSync(path.join(ROOT, 'docs/guides')).length > 5,
	'integration-owner': () => exists('.github/CODEOWNERS'),
	'parallel-updates': () => operations.every(({ kind }) => kind === 'read' || kind === 'write'),
	'strict-typing': () => read('tsconfig.json').includes('"strict": true'),
};

function exists(file: string): boolean {
	return existsSync(path.join(ROOT, file));
}

/** The per cent of lines below which `npm run coverage` fails, of all or of a folder. */
function thresholdOf(place: keyof typeof coverageThreshold): number {
	return coverageThreshold[place].lines;
}

function examples(): string[] {
	return readdirSync(path.join(ROOT, 'examples')).filter((name) => name.endsWith('.json'));
}

describe('docs/internals/quality-scale.yaml', () => {
	it('grades every rule that transfers, and every one that does not', () => {
		expect([...grades.keys()].sort()).toEqual([...RULES, ...Object.keys(N8N_RULES)].sort());
	});

	it('knows only the three grades, and says why a rule is not done', () => {
		for (const [rule, { status, comment }] of grades) {
			expect([rule, /^(done|todo|exempt)$/.test(status)]).toEqual([rule, true]);
			expect([rule, status === 'done' || comment !== '']).toEqual([rule, true]);
		}
	});

	it.each(Object.keys(CHECKS).filter((rule) => CHECKS[rule]))('is right about %s', async (rule) => {
		const isTrue = await CHECKS[rule]?.();

		expect({ status: grades.get(rule)?.status, isTrue }).toEqual({ status: 'done', isTrue: true });
	});
});
