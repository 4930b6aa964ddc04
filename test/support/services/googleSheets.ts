import type { FastifyRequest } from 'fastify';
import { GoogleService } from './google';
import { Refused } from './service';

/** The ID of the one spreadsheet, as in its address. */
export const SPREADSHEET = '1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefg';

interface ValueRange {
	range: string;
	values: unknown[][];
}

/** Simulates the documented Google Sheets API, as far as the kit uses it. Tokens expire. */
export class GoogleSheets extends GoogleService {
	private readonly sheets = new Map<string, unknown[][]>();

	/** @param titles of the sheets, which start empty */
	constructor(titles: string[]) {
		super('sheets.googleapis.com');
		titles.forEach((title) => this.sheets.set(title, []));
		const document = `/v4/spreadsheets/${SPREADSHEET}`;
		this.app.get(document, () => ({
			sheets: titles.map((title, sheetId) => ({ properties: { title, sheetId } })),
		}));
		this.app.get(`${document}/values/:range`, (request) => {
			const values = this.rows(rangeOf(request).title);
			return { majorDimension: 'ROWS', ...(values.length > 0 && { values }) };
		});
		this.app.put(`${document}/values/:range`, (request) => {
			this.write({ ...(request.body as ValueRange), range: nameOf(request) });
			return {};
		});
		this.app.post(`${document}/values/:range`, (request) => {
			if (!nameOf(request).endsWith(':append')) throw refused(404, 'Requested entity not found');
			this.rows(rangeOf(request).title).push(...(request.body as ValueRange).values);
			return {};
		});
		this.app.post(`${document}/values::batchUpdate`, ({ body }) => {
			(body as { data: ValueRange[] }).data.forEach((one) => this.write(one));
			return {};
		});
	}

	/** Returns the rows of a sheet below its headings, by heading. */
	read(title: string): Array<Record<string, unknown>> {
		const [headings = [], ...rows] = this.rows(title);
		return rows.map((row) =>
			Object.fromEntries(headings.map((heading, index) => [String(heading), row[index] ?? ''])),
		);
	}

	private rows(title: string): unknown[][] {
		const rows = this.sheets.get(title);
		if (!rows) throw refused(400, `Unable to parse range: ${title}`);
		return rows;
	}

	private write({ range, values }: ValueRange): void {
		const { title, column, row } = parse(range);
		const rows = this.rows(title);
		values.forEach((cells, down) => {
			const line = (rows[row + down] ??= []);
			cells.forEach((cell, right) => (line[column + right] = cell));
		});
	}
}

const nameOf = ({ params }: FastifyRequest): string => (params as { range: string }).range;
const rangeOf = (request: FastifyRequest) => parse(nameOf(request));

/** Reads `'Title'`, `Title!2:2`, and `Title!C5`, with and without what follows. */
function parse(range: string): { title: string; column: number; row: number } {
	const [name = '', cells = ''] = range.split('!');
	const [, letter = '', number = '1'] = /^([A-Z]?)(\d*)/.exec(cells) ?? [];
	const column = letter ? letter.charCodeAt(0) - 'A'.charCodeAt(0) : 0;
	const title = name.replace(/^'|'$/g, '').replace(/:append$/, '');
	return { title, column, row: Number(number || 1) - 1 };
}

function refused(code: number, message: string): Refused {
	return new Refused(code, { error: { code, message, status: 'INVALID_ARGUMENT' } });
}
