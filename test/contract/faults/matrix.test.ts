import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RESOURCES } from '../../../nodes/VirtualPbx/operations';
import { intoDocument, matrixMarkdown } from '../../support/faults/markdown';
import { runMatrix, SECTIONS } from '../../support/faults/matrix';
import type { Row, Section } from '../../support/faults/matrix';
import { PARAMETERS } from '../../support/faults/operations';

// Two minutes by default: far too long for tests.
jest.mock('../../../nodes/VirtualPbx/transport/limits', () => ({
	...jest.requireActual<object>('../../../nodes/VirtualPbx/transport/limits'),
	SILENCE: {
		answerMs: 4000,
		onlyAnswerMs: 4000,
		pieceMs: 4000,
		inAllMs: 8600,
		leastMs: 500,
		wholeMs: 60_000,
	},
}));

const DOCUMENT = path.join(__dirname, 'matrix.md');

let sections: Section[];
beforeAll(async () => void (sections = await runMatrix()), 480_000);

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
			...once.broken.map((words) => `once: ${words}`),
			...always.broken.map((words) => `for good: ${words}`),
		]);
		expect(found).toEqual([]);
	});

	it('gets over a passing fault wherever a request may be repeated', () => {
		const found = complaints(name, ({ row }, { fault, once }) =>
			fault.mayPass && /^(GET|DELETE) /.test(row) && !once.isFine ? [once.message] : [],
		);
		expect(found).toEqual([]);
	});

	it('gives up after four requests, and never repeats a write that may have arrived', () => {
		const found = complaints(name, ({ row, step }, { always }) => {
			const most = /^(GET|DELETE) /.test(row) ? 4 : 2;
			return step.isOperation && always.requests > most ? [`${always.requests} requests`] : [];
		});
		expect(found).toEqual([]);
	});
});

it('is written down in matrix.md (otherwise: npm run docs:reliability)', () => {
	const committed = readFileSync(DOCUMENT, 'utf8');
	const current = intoDocument(committed, matrixMarkdown(sections));
	if (process.env.WRITE_RELIABILITY) writeFileSync(DOCUMENT, current);
	else expect(committed).toBe(current);
});
