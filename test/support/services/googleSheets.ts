import { CrmStandIn } from './crm';
import { ACCESS_TOKEN, googleCredential } from './googleDrive';
import { hasToken, Refused } from './service';

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

/** A row to write. A null leaves the cell as it is (values.update). */
interface Written {
	values: [Array<Cell | null>];
}

/**
 * Simulates the documented Google Sheets API (developers.google.com/workspace/sheets/api/reference/rest), as far as the
 * workflows use it. A person has filled Contacts.
 */
export class GoogleSheets extends CrmStandIn<Cell[], Cell[], Cell[]> {
	override readonly official = 'googleSheets';
	readonly kit = 'google-sheets';
	readonly title = 'Google Sheets';
	override readonly address = `https://docs.google.com/spreadsheets/d/${SPREADSHEET}/edit#gid=0`;
	override readonly credentialType = 'googleSheetsOAuth2Api';
	protected readonly creates = {
		customer: 'Contacts!A:A:append',
		call: 'Calls!A:A:append',
		task: 'Callbacks!A:A:append',
	};
	// A sheet's first row has its headings.
	private readonly reviews: Cell[][] = [];
	private readonly sheets: Record<string, Cell[][]> = {
		...{ Contacts: this.customerList, Calls: this.callList },
		...{ Callbacks: this.taskList, Reviews: this.reviews },
	};
	/** The recordings in Google Drive, by the links to them. */
	private readonly files = new Map<string, string>();

	constructor() {
		const hosts = ['sheets.googleapis.com', 'www.googleapis.com'];
		super(hosts, (request) => hasToken(request, ACCESS_TOKEN));
		this.on<Buffer>('POST', '/upload/drive/v3/files', ({ body }) => {
			const webViewLink = `https://drive.google.com/file/d/${this.files.size}/view`;
			this.files.set(webViewLink, body.toString('latin1'));
			return { webViewLink };
		});
		this.on<NewSpreadsheet>('POST', '/v4/spreadsheets', ({ body: { sheets } }) => {
			for (const { properties, data } of sheets) {
				const [row] = data[0]?.rowData ?? [];
				const headings = row?.values.map(({ userEnteredValue }) => userEnteredValue.stringValue);
				this.rows(properties.title).unshift(headings ?? []);
			}
			return { spreadsheetId: SPREADSHEET, spreadsheetUrl: this.address };
		});
		const values = '/v4/spreadsheets/:id/values';
		this.app.addHook('preHandler', async ({ params }) => {
			const { id = SPREADSHEET } = (params ?? {}) as { id?: string };
			if (id !== SPREADSHEET) throw refused(404, 'Requested entity was not found.');
		});
		this.on('GET', `${values}::batchGet`, ({ query: { ranges = [] } }) => ({
			spreadsheetId: SPREADSHEET,
			valueRanges: [ranges].flat().map((range) => this.get(range)),
		}));
		this.on('GET', `${values}/:range`, ({ params: { range } }) => this.get(range));
		this.on<Written>('PUT', `${values}/:range`, ({ params: { range }, body }) => {
			const { rows, from = 0 } = this.select(range);
			fill((rows[from] ??= []), body);
			return { spreadsheetId: SPREADSHEET, updatedRows: 1 };
		});
		this.on<Written>('POST', `${values}/:range`, ({ params: { range = '' }, body }) => {
			const tableRange = range.replace(/:append$/, '');
			const { rows, width } = this.select(tableRange);
			const { below, left } = tableOf(rows, width);
			fill((rows[below] ??= []), body, left);
			return { spreadsheetId: SPREADSHEET, tableRange };
		});
	}

	override notes() {
		return this.reviews.flatMap((row) => this.read(this.reviews, row)?.review ?? []).map(String);
	}

	override credential() {
		return googleCredential('spreadsheets');
	}

	addCustomer(name: string, phone: string, owner = ''): void {
		this.customerList.push([name, phone, owner]);
	}

	/** Writes a note below a sheet's rows, apart from their columns, as a person does. */
	addNote(title: string): void {
		const rows = this.rows(title);
		const width = Math.max(...rows.map((row) => row.length));
		rows.push([...Array<Cell>(width + 2).fill(''), 'A note']);
	}

	protected override nameOf(row: Cell[]) {
		const name = this.read(this.customerList, row)?.name;
		return name === undefined ? undefined : String(name);
	}

	protected callOf(row: Cell[]) {
		const { callId, customer, summary, recording, employee } = this.read(this.callList, row) ?? {};
		// Rows without an ID are people's.
		if (!callId) return undefined;
		return {
			...{ callId: String(callId), customer: String(customer), text: String(summary) },
			...{ body: this.files.get(String(recording)) ?? '', user: userOf(employee) },
		};
	}

	protected taskOf(row: Cell[]) {
		const task = this.read(this.taskList, row);
		if (!task) return undefined;
		const isOpen = task.status === 'call back';
		return { customer: String(task.customer), isOpen, user: userOf(task.owner) };
	}

	protected reopen(row: Cell[]): void {
		row[this.taskList[0]?.indexOf('status') ?? 0] = 'call back';
	}

	/** Returns a row of a sheet by its headings. Undefined for the headings themselves. */
	private read([headings = []]: Cell[][], row: Cell[]): Record<string, Cell> | undefined {
		if (row === headings) return undefined;
		return Object.fromEntries(headings.map((heading, index) => [heading, row[index] ?? '']));
	}

	private rows(title: string): Cell[][] {
		const rows = this.sheets[title];
		if (!rows) throw refused(400, `Unable to parse range: ${title}`);
		return rows;
	}

	/** Reads `Calls`, `Calls!1:1`, `Calls!A:B`, and `Calls!A7`: from a row or all, and up to which column. */
	private select(range = '') {
		const [title = '', cells = ''] = range.split('!');
		const [, last, row] = /^(?:[A-Z]:)?([A-Z]?)(\d*)(?::\d+)?$/.exec(cells) ?? [];
		const width = last ? last.charCodeAt(0) - 'A'.charCodeAt(0) + 1 : undefined;
		return { rows: this.rows(title), from: row ? Number(row) - 1 : undefined, width };
	}

	/** Shows cells as text, and leaves out empty ones at the end (values.get). */
	private get(range?: string) {
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
 * Finds the last table in a range, which is that of its last cell with a text (values.append, "Append values"). Returns
 * the row below it, and its first column.
 */
function tableOf(rows: Cell[][], width?: number): { below: number; left: number } {
	const isFilled = (cell: Cell = '') => cell !== '';
	const below = rows.map((row) => row.slice(0, width).some(isFilled)).lastIndexOf(true) + 1;
	const row = rows[below - 1] ?? [];
	let left = row.slice(0, width).map(isFilled).lastIndexOf(true);
	while (left > 0 && isFilled(row[left - 1])) left -= 1;
	return { below, left };
}

/** Writes cells into a row, from a column on. */
function fill(row: Cell[], { values: [cells] }: Written, left = 0): void {
	while (row.length < left) row.push('');
	for (const [index, cell] of cells.entries()) row[left + index] = cell ?? row[left + index] ?? '';
}

/** The tests name an employee by the email `<ID>@x.example`. */
const userOf = (cell?: Cell) => String(cell).replace('@x.example', '');

function refused(code: number, message: string): Refused {
	return new Refused(code, { error: { code, message, status: 'INVALID_ARGUMENT' } });
}
