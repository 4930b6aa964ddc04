import type { IDataObject } from 'n8n-workflow';
import type { N8nClient } from '../../../tools/n8n';

type Row = IDataObject & { id: number };

const PAGE = 250;

/** A data table of n8n, read and changed as its page in n8n does. */
export class DataTable {
	private constructor(
		private readonly n8n: N8nClient,
		private readonly path: string,
	) {}

	/** Finds the owner's table of this name. Throws if there is none. */
	static async find(n8n: N8nClient, name: string): Promise<DataTable> {
		const { id } = await n8n.rest.request<{ id: string }>('GET', 'projects/personal');
		const query = new URLSearchParams({ filter: JSON.stringify({ name }) });
		const tables = `projects/${id}/data-tables`;
		const found = await n8n.rest.request<{ data: Array<{ id: string; name: string }> }>(
			'GET',
			`${tables}?${query.toString()}`,
		);
		const table = found.data.find((one) => one.name === name);
		if (!table) throw new Error(`There is no data table ${name}`);
		return new DataTable(n8n, `${tables}/${table.id}`);
	}

	/** Returns all rows, oldest first. */
	async rows(): Promise<Row[]> {
		const rows: Row[] = [];
		for (;;) {
			const { data, count } = await this.n8n.rest.request<{ count: number; data: Row[] }>(
				'GET',
				`${this.path}/rows?skip=${rows.length}&take=${PAGE}&sortBy=id:asc`,
			);
			rows.push(...data);
			if (rows.length >= count || data.length === 0) return rows;
		}
	}

	async insert(data: IDataObject[]): Promise<void> {
		await this.n8n.rest.request('POST', `${this.path}/insert`, { data });
	}

	/** Changes all rows with this value. */
	async update(column: string, value: string, data: IDataObject): Promise<void> {
		const filter = filterOf(column, value);
		await this.n8n.rest.request('PATCH', `${this.path}/rows`, { filter, data });
	}

	/** Removes all rows with this value. */
	async remove(column: string, value: string): Promise<void> {
		const query = new URLSearchParams({ filter: JSON.stringify(filterOf(column, value)) });
		await this.n8n.rest.request('DELETE', `${this.path}/rows?${query.toString()}`);
	}
}

const filterOf = (columnName: string, value: string) => ({
	type: 'and',
	filters: [{ columnName, condition: 'eq', value }],
});
