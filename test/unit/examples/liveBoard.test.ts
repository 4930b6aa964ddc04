import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { readExampleFile } from '../../support/exampleTexts';
import { countOf } from '../../support/liveBoard';
import { runCode } from '../../support/exampleCode';

const now = DateTime.utc();
const ago = (seconds: number) => now.minus({ seconds }).toISO();

const row = (callId: string, event: string, secondsAgo: number, more: IDataObject = {}) => ({
	...{ callId, event, at: ago(secondsAgo), callType: 'incoming', customerNumber: `1718${callId}` },
	...{ companyNumber: '12125550100', employee: null, missed: null, outcome: null, ...more },
});

const answered = { employee: '101', outcome: 'answered' };
const ROWS = [
	...[row('1', 'started', 40), row('1', 'answered', 30), row('1', 'answered', 30, answered)],
	row('2', 'started', 20),
	...[row('3', 'started', 100), row('3', 'answered', 90, answered)],
	row('3', 'ended', 10, { ...answered, missed: false }),
	...[row('4', 'started', 100), row('4', 'ended', 50, { missed: true })],
	// The event of the end was lost, and the record closes it; or nothing ever does.
	...[
		row('5', 'started', 200),
		row('5', 'record', 60, { ...answered, missed: false, waitSeconds: 25 }),
	],
	...[row('6', 'started', 181), row('7', 'answered', 14_401, answered)],
];

const page = readExampleFile('live-board.json').nodes.find(({ name }) => name === 'Build Page');
const boardOf = (rows: IDataObject[]) =>
	countOf(String(page?.parameters.html))(rows, now.toMillis());

describe('the live board', () => {
	it('shows who rings and who talks, and counts the calls that are over', () => {
		const today = now.toLocal().startOf('day') < now.minus({ seconds: 100 });
		expect(boardOf(ROWS)).toMatchObject({
			ringing: [{ callId: '2', who: '17182', with: '12125550100' }],
			talking: [{ callId: '1', who: '17181', with: '101' }],
			...(today && { answered: 2, missed: 1, share: 33, callBack: [{ who: '17184' }] }),
		});
	});

	it('shows the same whatever order the rows are in, and if each is there twice', () => {
		const expected = boardOf(ROWS);
		for (let turn = 0; turn < ROWS.length; turn += 1) {
			const turned = [...ROWS.slice(turn), ...ROWS.slice(0, turn)];
			expect(boardOf([...turned, ...turned].reverse())).toEqual(expected);
		}
	});

	it('shows who calls by name, also in a later event that has none', () => {
		const named = row('1', 'started', 40, { customerName: 'Anna Peters' });
		const again = { ...row('2', 'started', 20), customerNumber: named.customerNumber };
		const { ringing } = boardOf([again, named, row('3', 'started', 10)]);
		expect(ringing.map(({ name }) => name)).toEqual(['Anna Peters', 'Anna Peters', undefined]);
	});

	it('writes a row for each record, which says how long the caller waited', () => {
		const times = { at: '2026-03-02T10:01:00.000Z', talkSeconds: 40 };
		const details = { startedAt: '2026-03-02T10:00:00.000Z' };
		const call = { ...row('1', 'started', 0), ...times };
		const written = runCode('live-board.json', 'Make Rows', {}, [{ ...call, details }, call]);

		expect(written).toMatchObject([
			{ callId: '1', event: 'record', ...times, waitSeconds: 20 },
			{ callId: '1', event: 'record', ...times, waitSeconds: null },
		]);
	});
});
