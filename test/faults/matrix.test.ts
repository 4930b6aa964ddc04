import { IS_RELEASE } from '../support/release';
import { runMatrix, SECTIONS } from './matrix';
import type { Cell } from './matrix';

let cells: Cell[];
beforeAll(async () => void (cells = await runMatrix(IS_RELEASE)), 480_000);

const mayRepeat = ({ row }: Cell) => /^(GET|DELETE) /.test(row);

/** Each cell of a section that a check finds fault with, in a line. */
function complaints(section: string, check: (cell: Cell) => string[]): string[] {
	return cells
		.filter(({ step }) => step.section === section)
		.flatMap((cell) => {
			const { step, row, fault, isOnce } = cell;
			const place = `${step.name} ${row}, ${fault.name} ${isOnce ? 'once' : 'for good'}`;
			return check(cell).map((found) => `${place}: ${found}`);
		});
}

describe.each(SECTIONS)('%s', (name) => {
	it('tells what to do and no secret, loses nothing, and does nothing twice', () => {
		expect(complaints(name, ({ run }) => run.broken)).toEqual([]);
	});

	it('gets over a passing fault wherever a request may be repeated', () => {
		const found = complaints(name, (cell) => {
			const isPassing = cell.isOnce && cell.fault.mayPass && mayRepeat(cell);
			return isPassing && !cell.run.isFine ? [cell.run.message] : [];
		});
		expect(found).toEqual([]);
	});

	it('gives up after four requests, and never repeats a write that may have arrived', () => {
		const found = complaints(name, (cell) => {
			const most = mayRepeat(cell) ? 4 : 2;
			const isAsked = cell.step.isOperation && !cell.isOnce;
			return isAsked && cell.run.requests > most ? [`${cell.run.requests} requests`] : [];
		});
		expect(found).toEqual([]);
	});
});
