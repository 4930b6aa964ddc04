import type { FastifyRequest } from 'fastify';
import { removeFirst } from './crm';
import type { CrmStandIn } from './crm';
import { GoogleService } from './google';
import { Refused } from './service';

/** The ID of the one spreadsheet, as in its address. */
const SPREADSHEET = '1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefg';

/** A cell holds text or a number, as `RAW` stores them. */
type Cell = string | number;

interface NewSpreadsheet {
	sheets: Array<{
		properties: { title: string };
		data: Array<{ rowData: [{ values: Array<{ userEnteredValue: { stringValue: string } }> }] }>;
	}>;
}

/**
 * Simulates the documented Google Sheets API (developers.google.com/workspace/sheets/api/reference/rest), as far as the
 * workflows use it. Tokens expire. A person has filled Contacts.
 */
export class GoogleSheets extends GoogleService implements CrmStandIn {
	override readonly official = 'googleSheets';
	readonly kit = 'google-sheets';
	readonly title = 'Google Sheets';
	readonly address = `https://docs.google.com/spreadsheets/d/${SPREADSHEET}/edit#gid=0`;
	readonly credentialType = 'googleSheetsOAuth2Api';
	private readonly sheets = new Map<string, Cell[][]>();
	private readonly contacts: Cell[][] = [];
	/** The recordings in Google Drive, by the links to them. */
	private readonly files = new Map<string, string>();

	constructor() {
		super('sheets.googleapis.com');
		this.hosts.push('www.googleapis.com');
		this.app.addContentTypeParser(/^audio\//, { parseAs: 'buffer' }, (_, body, done) =>
			done(null, body),
		);
		this.app.post('/upload/drive/v3/files', ({ body }) => {
			const webViewLink = `https://drive.google.com/file/d/${this.files.size}/view`;
			this.files.set(webViewLink, (body as Buffer).toString('latin1'));
			return { webViewLink };
		});
		const values = '/v4/spreadsheets/:id/values';
		this.app.addHook('preHandler', async ({ params }) => {
			const { id = SPREADSHEET } = (params ?? {}) as { id?: string };
			if (id !== SPREADSHEET) throw refused(404, 'Requested entity was not found.');
		});
		this.app.post('/v4/spreadsheets', ({ body }) => {
			for (const { properties, data } of (body as NewSpreadsheet).sheets) {
				const [row] = data[0]?.rowData ?? [];
				const headings = row?.values.map(({ userEnteredValue }) => userEnteredValue.stringValue);
				this.sheets.set(properties.title, [headings ?? []]);
			}
			this.rows('Contacts').push(...this.contacts);
			return { spreadsheetId: SPREADSHEET, spreadsheetUrl: this.address };
		});
		this.app.get(`${values}::batchGet`, ({ query }) => {
			const ranges = [(query as { ranges: string | string[] }).ranges].flat();
			return { spreadsheetId: SPREADSHEET, valueRanges: ranges.map((range) => this.get(range)) };
		});
		this.app.get(`${values}/:range`, (request) => this.get(rangeOf(request)));
		this.app.put(`${values}/:range`, (request) => {
			const { rows, from = 0 } = this.select(rangeOf(request));
			// A null leaves the cell as it is (values.update).
			valuesOf(request).forEach((cell, index) => {
				const row = (rows[from] ??= []);
				row[index] = cell ?? row[index] ?? '';
			});
			return { spreadsheetId: SPREADSHEET, updatedRows: 1 };
		});
		this.app.post(`${values}/:range`, (request) => {
			const [, range = ''] = /^(.*):append$/.exec(rangeOf(request)) ?? [];
			if (!range) throw refused(404, 'Requested entity was not found.');
			const { rows, width } = this.select(range);
			const { below, left } = tableOf(rows, width);
			const row = (rows[below] ??= []);
			valuesOf(request).forEach((cell, index) => {
				for (let column = row.length; column < left + index; column += 1) row.push('');
				row[left + index] = cell ?? row[left + index] ?? '';
			});
			return { spreadsheetId: SPREADSHEET, tableRange: range };
		});
	}

	notes() {
		return this.read('Reviews').map(({ review }) => String(review));
	}

	override credential() {
		return super.credential('spreadsheets');
	}

	addCustomer(name: string, phone: string, owner = ''): void {
		const rows = this.sheets.get('Contacts') ?? this.contacts;
		rows.push([name, phone, owner]);
	}

	removeCustomer(name: string): void {
		this.remove('Contacts', ({ name: one }) => one === name);
	}

	removeTask(customer: string): void {
		this.remove('Callbacks', (row) => row.customer === customer);
	}

	removeCall(customer: string): void {
		this.remove('Calls', (row) => row.customer === customer);
	}

	loseAnswers(): void {
		['Contacts', 'Calls', 'Callbacks'].forEach((name) => this.loseAnswer(`${name}!A:A:append`));
	}

	afterCall(act: () => Promise<unknown>): void {
		this.loseAnswer('Calls!A:A:append', 'POST', act);
	}

	/** Reopens a customer's rows, as a person does. */
	reopenTask(customer: string): void {
		const [headings = []] = this.rows('Callbacks');
		this.read('Callbacks').forEach((row, index) => {
			const cells = this.rows('Callbacks')[index + 1] ?? [];
			if (row.customer === customer) cells[headings.indexOf('status')] = 'call back';
		});
	}

	/** Writes a note below a sheet's rows, apart from their columns, as a person does. */
	addNote(title: string): void {
		const rows = this.rows(title);
		const width = Math.max(...rows.map((row) => row.length));
		rows.push([...Array<Cell>(width + 2).fill(''), 'A note']);
	}

	customers() {
		return this.read('Contacts').map(({ name }) => String(name));
	}

	calls() {
		// Rows without an ID are people's.
		return this.read('Calls').flatMap(({ callId, customer, summary, recording, employee }) =>
			callId
				? {
						...{ callId: String(callId), customer: String(customer), text: String(summary) },
						...{ body: this.files.get(String(recording)) ?? '', user: userOf(employee) },
					}
				: [],
		);
	}

	tasks() {
		return this.read('Callbacks').map(({ customer, status, owner }) => ({
			...{ customer: String(customer), isOpen: status === 'call back', user: userOf(owner) },
		}));
	}

	/** Returns the rows of a sheet below its headings, by heading. */
	private read(title: string): Array<Record<string, Cell>> {
		const [headings = [], ...rows] = this.rows(title);
		return rows.map((row) =>
			Object.fromEntries(headings.map((heading, index) => [heading, row[index] ?? ''])),
		);
	}

	private remove(title: string, isIt: (row: Record<string, Cell>) => boolean): void {
		const listed = this.read(title);
		// The first row has the headings.
		removeFirst(this.rows(title), (_, index) => index > 0 && isIt(listed[index - 1] ?? {}));
	}

	private rows(title: string): Cell[][] {
		const rows = this.sheets.get(title);
		if (!rows) throw refused(400, `Unable to parse range: ${title}`);
		return rows;
	}

	/** Reads `Calls`, `Calls!1:1`, `Calls!A:B`, and `Calls!A7`: from a row or all, and up to which column. */
	private select(range: string) {
		const [title = '', cells = ''] = range.split('!');
		const [, last, row] = /^(?:[A-Z]:)?([A-Z]?)(\d*)(?::\d+)?$/.exec(cells) ?? [];
		const width = last ? last.charCodeAt(0) - 'A'.charCodeAt(0) + 1 : undefined;
		return { rows: this.rows(title), from: row ? Number(row) - 1 : undefined, width };
	}

	/** Shows cells as text, and leaves out empty ones at the end (values.get). */
	private get(range: string) {
		const { rows, from, width } = this.select(range);
		const chosen = from === undefined ? rows : rows.slice(from, from + 1);
		const values = chosen.map((row) => {
			const shown = row.slice(0, width).map(String);
			return shown.slice(0, shown.map((cell) => cell !== '').lastIndexOf(true) + 1);
		});
		return { range, majorDimension: 'ROWS', ...(values.length > 0 && { values }) };
	}
}

/**
 * Finds the last table in a range: its last cell with a text, and the cells that adjoin it in all directions
 * (values.append, "Append values"). Returns the row below it, and its first column.
 */
function tableOf(rows: Cell[][], width = Infinity): { below: number; left: number } {
	const isFilled = (row: number, column: number) => (rows[row]?.[column] ?? '') !== '';
	const inRange = rows.flatMap((row, at) =>
		[...row.slice(0, width).keys()].map((column) => [at, column] as const),
	);
	const cells = inRange.filter(([row, column]) => isFilled(row, column)).slice(-1);
	const seen = new Set<string>();
	const table = { below: 0, left: Infinity };
	for (const [row, column] of cells) {
		if (!isFilled(row, column) || seen.has(`${row},${column}`)) continue;
		seen.add(`${row},${column}`);
		table.below = Math.max(table.below, row + 1);
		table.left = Math.min(table.left, column);
		cells.push([row - 1, column], [row + 1, column], [row, column - 1], [row, column + 1]);
	}
	return table;
}

/** The tests name an employee by the email `<ID>@x.example`. */
const userOf = (cell?: Cell) => String(cell).replace('@x.example', '');

const rangeOf = ({ params }: FastifyRequest): string => (params as { range: string }).range;

function valuesOf({ body, query }: FastifyRequest): Array<Cell | null> {
	const { values, ...more } = body as { values: Array<Array<Cell | null>> };
	if ((query as { valueInputOption?: string }).valueInputOption !== 'RAW')
		throw refused(400, "'valueInputOption' is required but not specified");
	const [row] = values;
	if (!row || Object.keys(more).length > 0) throw refused(400, 'Invalid JSON payload received.');
	return row;
}

function refused(code: number, message: string): Refused {
	return new Refused(code, { error: { code, message, status: 'INVALID_ARGUMENT' } });
}
