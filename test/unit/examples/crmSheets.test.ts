import type { IDataObject } from 'n8n-workflow';
import { runCode, sheetsOf } from '../../support/exampleCode';

const FILE = 'crm/google-sheets.json';
const SHEET = 'https://sheets.googleapis.com/v4/spreadsheets/1Ab/values/';
const CALL = {
	...{ callId: 'a@b', at: '2026-11-20T10:00:00Z', time: '2026-11-20 10:00:00' },
	...{
		callType: 'incoming',
		outcome: 'answered',
		customerNumber: '+7',
		employee: '100',
		defaultOwner: '',
	},
	...{ address: 'https://docs.google.com/spreadsheets/u/1/d/1Ab/edit?gid=0#gid=0' },
	...{ employees: '101 Anna\n100: Ben Field', details: { summary: 'Call', numbers: ['+7'] } },
};

interface Case {
	call?: IDataObject;
	chosen?: IDataObject;
	earlier?: IDataObject[];
	sheets?: { valueRanges: IDataObject[] };
}

/** What is written: the method, the range, and the cells. */
function writes({ call = {}, chosen = {}, earlier = [], sheets = sheetsOf() }: Case) {
	const made = {
		...{ Settings: { ...CALL, ...call }, 'Get Earlier Calls': earlier },
		'Read Sheets': sheets as IDataObject,
	};
	const given = { own: {}, isNew: false, customer: 'Eva', owner: '', ...chosen };
	return runCode(FILE, 'Prepare Rows', made, given).map(({ method, url, body }) => [
		...[method, String(url).replace(SHEET, '')],
		(body as { values: unknown[][] }).values[0],
	]);
}

describe('in Google Sheets', () => {
	const whole = ['a@b', 'answered', null, 'Call', 'Eva'];
	const untouched = Array(5).fill(null);

	it.each([
		['is added', [], {}, ['POST', 'Calls!A:A:append', whole]],
		[
			...['that rang gets its result', [['x'], ['a@b', 'ringing']], { state: 'ringing' }],
			['PUT', 'Calls!A3', [null, 'answered', null, 'Call', null]],
		],
		['that is complete stays', [['a@b', 'lost']], {}, ['PUT', 'Calls!A2', untouched]],
		[
			...['that someone deleted while it rang stays deleted', [], { state: 'ringing' }],
			['PUT', 'Calls!A1', untouched],
		],
	] as Array<[string, string[][], IDataObject, unknown[]]>)(
		'a row %s, by its headings',
		(_, calls, own, expected) => {
			expect(writes({ chosen: { own }, sheets: sheetsOf([], calls) })).toEqual([expected]);
		},
	);

	it.each([
		['a column before outcome', 1, ['callId', 'mine', 'outcome']],
		['no heading in column A of Contacts', 0, ['', 'name', 'phone']],
		['a renamed heading', 0, ['Name', 'phone']],
		['an empty sheet of callbacks', 3, undefined],
	])('nothing is written beside its column: %s', (_, index, headings) => {
		const sheets = sheetsOf();
		sheets.valueRanges[index] = headings ? { values: [headings] } : {};
		const settings = { ...CALL, neverLog: '', createCallers: 'yes', newContactsPerDay: 3 };
		const made = { Settings: settings, 'Get Earlier Calls': [] };
		expect(() => runCode(FILE, 'Choose Contact', made, sheets as IDataObject)).toThrow(
			'Contacts needs name and phone',
		);
	});

	describe('the list of missed callers', () => {
		const now = new Date();
		const iso = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString();
		const time = (minutes: number) => iso(minutes).slice(0, 19).replace('T', ' ');
		const at = (minutes: number) => ({ at: iso(minutes), time: time(minutes) });
		const missed = { outcome: 'noAnswer', missed: true, ...at(60) };
		const open = (minutes: number, status = 'call back') => ['+7', status, 'Eva', time(minutes)];
		const answered = (minutes: number) => ({
			...{ callId: 'c@d', number: '+7', outcome: 'answered', at: iso(minutes) },
		});
		const listed = (call: IDataObject, list: string[][] = [], earlier: IDataObject[] = []) =>
			writes({ call, earlier, sheets: sheetsOf([], [], list) }).slice(1);
		const added = ['+7', 'call back', 'Ben Field', time(60), null, null];

		it('has one open row for each', () => {
			expect(listed(missed)).toEqual([['POST', 'Callbacks!A:A:append', added]]);
			expect(listed(missed, [open(90, 'reached'), ['+8', 'call back']])).toEqual([
				['POST', 'Callbacks!A:A:append', added],
			]);
			expect(listed(missed, [['+8'], open(90)])).toEqual([
				['PUT', 'Callbacks!A3', [null, null, null, time(60), null, null]],
			]);
		});

		it.each([
			['listed already, whatever people made of it', missed, [open(60, 'ours')], []],
			['reached since', missed, [], [answered(30)]],
			['missed long ago', { ...missed, ...at(3000) }, [], []],
			['withheld', { ...missed, customerNumber: null, details: {} }, [], []],
		])('has none: %s', (_, call, list, earlier) => {
			expect(listed(call, list, earlier)).toEqual([]);
		});
	});

	it('a recording goes to the row of its call, if nobody has filled the cell', () => {
		const made = {
			'Find Logged Call': { callId: 'a@b', sheet: SHEET },
			'Upload Recording': { webViewLink: 'https://drive/1' },
		};
		const link = (...values: string[][]) =>
			runCode(FILE, 'Prepare Link', made, { values } as IDataObject);
		const headings = ['callId', 'mine', 'recording'];
		expect(link(headings, ['x@b'], ['a@b'])).toEqual([
			{ url: `${SHEET}Calls!A3`, body: { values: [[null, null, 'https://drive/1']] } },
		]);
		expect(link(headings, ['a@b', '', 'mine'])).toEqual([]);
		expect(link(headings, ['x@b'])).toEqual([]);
		expect(() => link(['mine'])).toThrow('Calls must begin with callId');
	});
});
