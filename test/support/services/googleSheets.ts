import type { FastifyRequest } from 'fastify';
import { bearerOf, Refused, Service } from './service';

/** The ID of the one spreadsheet, as it stands in its address. */
export const SPREADSHEET = '1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefg';

interface ValueRange {
	range: string;
	values: unknown[][];
}

/** Answers as the documented Google Sheets API does, as far as the kit uses it; tokens run out. */
export class GoogleSheets extends Service {
	/** The access token that it takes; {@link expire} makes it another one. */
	token = 'access-1';
	readonly refreshToken = 'refresh-token';
	private readonly sheets = new Map<string, unknown[][]>();

	/** @param titles of the sheets, which are empty at first */
	constructor(titles: string[]) {
		super(
			['sheets.googleapis.com', 'oauth2.googleapis.com'],
			(request) => request.url === '/token' || bearerOf(request) === this.token,
		);
		titles.forEach((title) => this.sheets.set(title, []));
		this.addToken();
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

	/** Lets the access token run out: n8n has to get a new one. */
	expire(): void {
		this.token = `access-${Number(this.token.slice('access-'.length)) + 1}`;
	}

	/** The rows of a sheet below its headings, by heading. */
	read(title: string): Array<Record<string, unknown>> {
		const [headings = [], ...rows] = this.rows(title);
		return rows.map((row) =>
			Object.fromEntries(headings.map((heading, index) => [String(heading), row[index] ?? ''])),
		);
	}

	private addToken(): void {
		this.app.addContentTypeParser(
			'application/x-www-form-urlencoded',
			{ parseAs: 'string' },
			(_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
		);
		this.app.post('/token', ({ body }) => {
			const { grant_type, refresh_token } = body as Record<string, string>;
			if (grant_type !== 'refresh_token' || refresh_token !== this.refreshToken)
				throw new Refused(400, { error: 'invalid_grant' });
			return { access_token: this.token, token_type: 'Bearer', expires_in: 3599 };
		});
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

/** Reads `'Title'`, `Title!2:2` and `Title!C5`, with and without what follows. */
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
