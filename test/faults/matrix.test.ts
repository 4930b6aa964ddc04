import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RESOURCES } from '../../nodes/VirtualPbx/operations';
import { TIMEOUTS } from '../../nodes/VirtualPbx/values/timeouts';
import { IS_RELEASE } from '../support/release';
import { intoDocument, keyOf, matrixMarkdown, readMatrix, wordOf } from './markdown';
import { runMatrix, SECTIONS } from './matrix';
import type { Row, Section } from './matrix';
import { PARAMETERS } from './operations';

// Two minutes by default: far too long for tests.
Object.assign(TIMEOUTS, { answer: 8000, idle: 8000 });

/** Whether every fault strikes each request: before a release, and when the document is written anew. */
const IS_WHOLE = IS_RELEASE || Boolean(process.env.WRITE_RELIABILITY);
const DOCUMENT = path.join(__dirname, 'matrix.md');

let sections: Section[];
beforeAll(async () => void (sections = await runMatrix(IS_WHOLE)), 480_000);

/** Each cell that a check finds fault with, in a line. */
function complaints(name: string, check: (row: Row, cell: Row['cells'][number]) => string[]) {
	const rows = sections.find((section) => section.name === name)?.rows ?? [];
	return rows.flatMap((row) =>
		row.cells.flatMap((cell) =>
			check(row, cell).map((found) => `${row.step.name} ${row.row}, ${cell.fault.name}: ${found}`),
		),
	);
}

it('knows every operation of the action node', () => {
	const operations = RESOURCES.flatMap(({ value, operations: own }) =>
		own.map((operation) => `${value}:${operation.value}`),
	);
	expect(Object.keys(PARAMETERS).sort()).toEqual(operations.sort());
});

describe.each(SECTIONS)('%s', (name) => {
	it('tells what to do and no secret, loses nothing, and does nothing twice', () => {
		const found = complaints(name, (_, { once, always }) => [
			...(once?.broken ?? []).map((words) => `once: ${words}`),
			...(always?.broken ?? []).map((words) => `for good: ${words}`),
		]);
		expect(found).toEqual([]);
	});

	it('gets over a passing fault wherever a request may be repeated', () => {
		const found = complaints(name, ({ row }, { fault, once }) =>
			fault.mayPass && /^(GET|DELETE) /.test(row) && once?.isFine === false ? [once.message] : [],
		);
		expect(found).toEqual([]);
	});

	it('gives up after four requests, and never repeats a write that may have arrived', () => {
		const found = complaints(name, ({ row, step }, { always }) => {
			const most = /^(GET|DELETE) /.test(row) ? 4 : 2;
			const count = step.isOperation ? (always?.requests ?? 0) : 0;
			return count > most ? [`${count} requests`] : [];
		});
		expect(found).toEqual([]);
	});
});

describe('test/faults/matrix.md (otherwise: npm run docs:reliability)', () => {
	const committed = readFileSync(DOCUMENT, 'utf8');

	if (IS_WHOLE) {
		it('is written down', () => {
			const current = intoDocument(committed, matrixMarkdown(sections));
			if (process.env.WRITE_RELIABILITY) writeFileSync(DOCUMENT, current);
			else expect(committed).toBe(current);
		});
	}

	it.each(SECTIONS)('says how each step ends: %s', (name) => {
		const documented = readMatrix(committed);
		const found = complaints(name, ({ step, row }, { fault, once, always }) => {
			const [onceTold, alwaysTold] = documented.get(keyOf({ step, row }, fault.name)) ?? [];
			return [
				...(once && wordOf(once) !== onceTold ? [`once ${wordOf(once)}, not ${onceTold}`] : []),
				...(always && wordOf(always) !== alwaysTold
					? [`for good ${wordOf(always)}, not ${alwaysTold}`]
					: []),
			];
		});
		expect(found).toEqual([]);
	});
});
