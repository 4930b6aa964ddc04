import type { IDataObject } from 'n8n-workflow';
import { callFrom, runCode } from '../../support/exampleCode';

describe('in Google Sheets', () => {
	const HEADINGS = ['callId', 'outcome', 'mine', 'summary', 'customer'];
	const rowOf = (known: string[][], more: IDataObject = {}) =>
		runCode(
			'crm/google-sheets/write-entry.json',
			'Call Row',
			{
				'When Called': {
					...{ callId: 'a@b', at: '2026-11-20T10:00:00Z', outcome: 'answered' },
					...{ details: { summary: 'Incoming call' }, ...more },
				},
				'Read Sheets': { valueRanges: [{}, { values: [HEADINGS] }, { values: known }] } as never,
				'Choose Contact': { customer: 'Anna' },
			},
			{},
		);
	const cells = ['a@b', 'answered', null, 'Incoming call', 'Anna'];
	const result = [null, 'answered', null, 'Incoming call', null];

	it.each([
		['is added', [['callId', 'outcome']], 'Calls!A:A:append', cells],
		['that rang gets its result', [['callId'], ['a@b', 'ringing']], 'Calls!A2', result],
		['that is complete stays', [['callId'], ['a@b', 'lost']], 'Calls!A2', Array(5).fill(null)],
	])('a row %s, by its headings', (_, known, range, values) => {
		const method = known.length > 1 ? 'PUT' : 'POST';
		expect(rowOf(known)).toEqual([{ method, range, body: { values: [values] } }]);
	});

	it.each([
		['a column before outcome', ['name', 'phone'], ['callId', 'mine', 'outcome']],
		['no heading in column A of Contacts', ['', 'name', 'phone'], ['callId', 'outcome']],
		['a renamed heading', ['Name', 'phone'], ['callId', 'outcome']],
	])('nothing is written beside its column: %s', (_, contacts, calls) => {
		const given = { valueRanges: [contacts, calls].map((row) => ({ values: [row] })) };
		const choose = () =>
			runCode(
				'crm/google-sheets/write-entry.json',
				'Choose Contact',
				{ 'When Called': callFrom('+79162345678') },
				given as never,
			);
		expect(choose).toThrow('Contacts needs name and phone among its headings');
	});

	it('a review fills only empty cells, and needs the headings', () => {
		const talk = { callId: 'a@b', summary: 'Wants chairs', promises: 'Call back' };
		const review = (read: IDataObject) =>
			runCode('crm/google-sheets/review.json', 'Reviews', { Settings: talk }, read);
		const headings = ['callId', 'review', 'mine', 'promises'];

		expect(review({ values: [headings, ['x@b'], ['a@b']] } as never)).toMatchObject([
			{ range: 'Calls!A3', body: { values: [[null, 'Wants chairs', null, 'Call back']] } },
		]);
		expect(review({ values: [headings, ['a@b', 'Ours', 'Mine']] } as never)).toMatchObject([
			{ body: { values: [[null, null, null, 'Call back']] } },
		]);
		expect(() => review({})).toThrow('The first heading of Calls must be callId');
	});

	it('a recording needs the headings', () => {
		const made = { Settings: { callId: 'a@b', recordingLink: 'https://n8n/1' } };
		const read = { valueRanges: [{}, {}] } as never;
		const add = () => runCode('crm/google-sheets/recording.json', 'Recordings', made, read);
		expect(add).toThrow('The first heading of Calls must be callId');
	});

	it('a list has one open row for each missed caller', () => {
		const headings = ['number', 'status', 'owner', 'lastMissedAt', 'reachedAt', 'reachedBy'];
		const listed = (call: IDataObject, ...rows: string[][]) => listedIn([headings, ...rows], call);
		const listedIn = (values: string[][] | undefined, call: IDataObject) => {
			const given = {
				...{ customerNumber: '+7', at: '2026-11-20T10:00:00Z', details: {} },
				...{ employee: '100', defaultUser: '', ...call },
			};
			const made = { 'When Called': given, 'Its Call': {} };
			const read = { values };
			const file = 'crm/google-sheets/call-back-task.json';
			return runCode(file, 'Rows', made, read as never).map(({ range, body }) => [
				...[range, (body as { values: unknown[][] }).values[0]],
			]);
		};
		const at = '2026-11-20 10:00:00';
		const missed = { outcome: 'noAnswer', missed: true };
		const added = ['Callbacks!A:A:append', ['+7', 'call back', '100', at, null, null]];

		expect(listed(missed)).toEqual([added]);
		expect(listed(missed, ['+7', 'reached'], ['+8', 'call back'])).toEqual([added]);
		expect(listed(missed, ['+8'], ['+7', 'call back'])).toEqual([
			['Callbacks!A3', [null, null, null, at, null, null]],
		]);
		expect(listed({ outcome: 'answered' }, ['+7', 'call back'], ['+7', 'ours'])).toEqual([
			['Callbacks!A2', [null, 'reached', null, null, at, '100']],
		]);
		const later = ['+7', 'call back', '', '2026-11-20 10:00:01'];
		expect(listed({ outcome: 'answered' }, later)).toEqual([]);
		for (const values of [undefined, [['', 'number']], [['note']]])
			expect(() => listedIn(values, missed)).toThrow('The headings of Callbacks are missing');
	});
});
