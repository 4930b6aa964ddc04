import type { IDataObject } from 'n8n-workflow';
import { makeNode } from '../../../tools/n8n';
import type { N8nClient } from '../../../tools/n8n';
import { chainOf, runChain } from './chain';

const PAGE = 250;

interface Listed {
	count: number;
	data: IDataObject[];
}

/** Returns all rows of the owner's data table of this name, oldest first, as its page in n8n does. */
export async function rowsOf({ rest }: N8nClient, name: string): Promise<IDataObject[]> {
	const { id } = await rest.request<{ id: string }>('GET', 'projects/personal');
	const query = new URLSearchParams({ filter: JSON.stringify({ name }) });
	const tables = `projects/${id}/data-tables`;
	const { data: found } = await rest.request<Listed>('GET', `${tables}?${query.toString()}`);
	const table = found.find((one) => one.name === name);
	if (!table) throw new Error(`There is no data table ${name}`);
	const rows: IDataObject[] = [];
	for (;;) {
		const page = `rows?skip=${rows.length}&take=${PAGE}&sortBy=id:asc`;
		const { data, count } = await rest.request<Listed>(
			'GET',
			`${tables}/${String(table.id)}/${page}`,
		);
		rows.push(...data);
		if (rows.length >= count || data.length === 0) return rows;
	}
}

/** Adds rows to a data table of n8n. */
export async function addRows(n8n: N8nClient, table: string, rows: IDataObject[]): Promise<void> {
	const dataTableId = { __rl: true, mode: 'name', value: table };
	for (const value of rows) {
		const columns = { mappingMode: 'defineBelow', value, schema: [] };
		const parameters = { resource: 'row', operation: 'insert', dataTableId, columns, options: {} };
		const node = makeNode('Add Row', 'n8n-nodes-base.dataTable', parameters, {
			typeVersion: 1.1,
		});
		await runChain(n8n, chainOf('Rows', [node]));
	}
}
