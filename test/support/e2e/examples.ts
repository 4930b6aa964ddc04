import type { IDataObject } from 'n8n-workflow';
import { readExample } from '../../../tools/demo/examples';
import { makeNode } from '../../../tools/n8n';
import type { Credential, N8nClient, Workflow } from '../../../tools/n8n';
import { chainOf, runChain } from './chain';
import type { TestPbx } from './index';
import { checkSoon } from './polls';

/** The token for an imported MCP server. */
export const TOKEN = 'the-token-of-the-tests';

/** The login for an imported form or chat, and the header in which browsers send it. */
const EMPLOYEE = { user: 'employee', password: 'the-password-of-the-tests' };
export const EMPLOYEE_HEADERS = {
	authorization: `Basic ${Buffer.from(Object.values(EMPLOYEE).join(':')).toString('base64')}`,
};

/**
 * Stores an example as shipped. It changes only what a user would: credentials (`more` for other
 * services), the CRM's address, the polling interval, and the callflow connection.
 */
export async function importExample(
	n8n: N8nClient,
	{ account, client }: Pick<TestPbx, 'account' | 'client'>,
	file: string,
	more: Credential[] = [],
): Promise<Workflow> {
	const credentials = [
		...more,
		await n8n.createCredential('virtualPbxApi', `PBX ${file}`, account),
		await n8n.createCredential('httpBearerAuth', `Token ${file}`, { token: TOKEN }),
		await n8n.createCredential('httpBasicAuth', `Employees ${file}`, EMPLOYEE),
	];
	const example = await readExample(file, credentials, client.url);
	for (const node of example.nodes) {
		checkSoon(node);
		const { parameters, type } = node;
		if (type.endsWith('.virtualPbxRoutingTrigger')) parameters.connect = 'manual';
	}
	return await n8n.createWorkflow(example);
}

/** Sends a routing request to an example. Returns its answer. */
export async function askWhere(
	{ rest }: N8nClient,
	{ nodes }: Workflow,
	from: string,
): Promise<IDataObject> {
	const { webhookId } = nodes.find(({ name }) => name === 'Incoming Call') ?? {};
	const address = `${rest.url}/webhook/${webhookId}/routing?Caller-ID-Number=${from}`;
	return (await (await fetch(address)).json()) as IDataObject;
}

/** Adds rows to a data table of n8n. */
export async function addRows(n8n: N8nClient, table: string, rows: IDataObject[]): Promise<void> {
	const dataTableId = { __rl: true, mode: 'name', value: table };
	for (const value of rows) {
		const columns = { mappingMode: 'defineBelow', value, schema: [] };
		const parameters = { resource: 'row', operation: 'insert', dataTableId, columns, options: {} };
		const node = makeNode('Add Row', 'n8n-nodes-base.dataTable', parameters as never, {
			typeVersion: 1.1,
		});
		await runChain(n8n, chainOf('Rows', [node]));
	}
}
