import { IS_RELEASE } from '../support/release';
import { runMatrix, SECTIONS } from './matrix';
import type { Cell } from './matrix';

let cells: Cell[];
beforeAll(async () => void (cells = await runMatrix(IS_RELEASE)), 480_000);

/** A call's request is a GET that rings a phone. */
const mayRepeat = ({ row }: Cell) => /^(GET|DELETE) (?!.*quickcall)/.test(row);

/** One line for each of a section's cells that fails a check. */
function complaints(section: string, check: (cell: Cell) => string[]): string[] {
	return cells
		.filter(({ step }) => step.section === section)
		.flatMap((cell) => {
			const { step, row, fault, isOnce } = cell;
			const place = `${step.name} ${row}, ${fault.name} ${isOnce ? 'once' : 'permanently'}`;
			return check(cell).map((found) => `${place}: ${found}`);
		});
}

describe.each(SECTIONS)('%s', (name) => {
	it('says what to do, shows no secret, loses nothing, and does nothing twice', () => {
		expect(complaints(name, ({ run }) => run.broken)).toEqual([]);
	});

	it('recovers from a temporary fault wherever a request can be retried', () => {
		const found = complaints(name, (cell) => {
			const isPassing = cell.isOnce && cell.fault.isTemporary && mayRepeat(cell);
			return isPassing && !cell.run.isFine ? [cell.run.message] : [];
		});
		expect(found).toEqual([]);
	});

	it('gives up after four requests, and never retries a write that might have been processed', () => {
		const found = complaints(name, (cell) => {
			const limit = mayRepeat(cell) ? 4 : 2;
			const isPermanent = cell.step.isOperation && !cell.isOnce;
			return isPermanent && cell.run.requests > limit ? [`${cell.run.requests} requests`] : [];
		});
		expect(found).toEqual([]);
	});
});
