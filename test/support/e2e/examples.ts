import type { IDataObject } from 'n8n-workflow';
import type { Credential, N8nClient, Workflow } from '../../../tools/n8n';
import type { TestPbx } from './index';
import { importKit } from './kits';

/** The token for an imported MCP server. */
export const TOKEN = 'the-token-of-the-tests';

/** The login for an imported form or chat, and the header in which browsers send it. */
const EMPLOYEE = { user: 'employee', password: 'the-password-of-the-tests' };
export const EMPLOYEE_HEADERS = {
	authorization: `Basic ${Buffer.from(Object.values(EMPLOYEE).join(':')).toString('base64')}`,
};

/** Stores an example for a sandbox as {@link importKit} does, with the credentials that it needs, and `more`. */
export async function importExample(
	n8n: N8nClient,
	{ account, client: { url } }: Pick<TestPbx, 'account' | 'client'>,
	file: string,
	more: Credential[] = [],
): Promise<Workflow> {
	const credentials = [
		...more,
		await n8n.createCredential('virtualPbxApi', `PBX ${file}`, account),
		await n8n.createCredential('httpBearerAuth', `Token ${file}`, { token: TOKEN }),
		await n8n.createCredential('httpBasicAuth', `Employees ${file}`, EMPLOYEE),
	];
	return await importKit(n8n, file, { credentials, settings: {}, url });
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
