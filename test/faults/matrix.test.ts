import { RESOURCES } from '../../nodes/VirtualPbx/operations';
import { TIMEOUTS } from '../../nodes/VirtualPbx/values/timeouts';
import { IS_RELEASE } from '../support/release';
import { runMatrix, SECTIONS } from './matrix';
import type { Row, Section } from './matrix';
import { PARAMETERS } from './operations';

// Two minutes by default: far too long for tests.
Object.assign(TIMEOUTS, { answer: 8000, idle: 8000 });

let sections: Section[];
beforeAll(async () => void (sections = await runMatrix(IS_RELEASE)), 480_000);

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
