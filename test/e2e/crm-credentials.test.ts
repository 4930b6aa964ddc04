import path from 'node:path';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { Editor } from '../../tools/browser/editor';
import { launchBrowser } from '../../tools/browser/launch';
import { ROOT } from '../../tools/n8n';
import type { N8nClient, N8nProcess } from '../../tools/n8n';
import { eventually, later } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { startAmong } from '../support/e2e/own';
import { Hubspot } from '../support/services/hubspot';
import { Pipedrive } from '../support/services/pipedrive';
import { Zendesk } from '../support/services/zendesk';

const hubspot = new Hubspot();
const services = [hubspot, new Pipedrive(), new Zendesk()];

let n8n: N8nClient;
let main: N8nProcess;
let pbx: TestPbx;

beforeAll(async () => {
	({ n8n, main, pbx } = await startAmong(services, { country: 'US', hasEditor: true }));
});

it.each(services)("pass n8n's test of a credential: $title", async (crm) => {
	const test = async (data: ICredentialDataDecryptedObject) => {
		const credential = await n8n.createCredential(crm.credentialType, crm.title, data);
		return (await n8n.testCredential(credential, data)).status;
	};
	const data = crm.credential();
	const [secret = ''] = Object.keys(data).filter((name) => /token$/i.test(name));
	expect([await test(data), await test({ ...data, [secret]: 'wrong' })]).toEqual(['OK', 'Error']);
});

it("are in each node of a workflow imported in the editor, by n8n's names, so that nothing is left to choose", async () => {
	const create = async (type: string, name: string, data: ICredentialDataDecryptedObject) =>
		(await n8n.createCredential(type, name, data)).id;
	const mine = {
		virtualPbxApi: await create('virtualPbxApi', 'Virtual PBX account', pbx.account),
		hubspotAppToken: await create(
			...(['hubspotAppToken', 'HubSpot Service Key account', hubspot.credential()] as const),
		),
	};
	const browser = await launchBrowser();
	later(async () => await browser.close());
	const editor = await Editor.open(browser, main.url);
	const id = await editor.importFile(path.join(ROOT, 'examples/crm/hubspot.json'));
	await eventually(async () => {
		const { nodes } = await n8n.getWorkflow(id);
		const chosen = nodes.flatMap(({ credentials = {} }) => Object.entries(credentials));
		expect(chosen).toHaveLength(10);
		for (const [type, { id: one }] of chosen) expect(one).toBe(Reflect.get(mine, type));
		const open = nodes.filter(
			({ parameters: { workflowId } }) => (workflowId as IDataObject | undefined)?.value === '',
		);
		expect(open.map(({ name }) => name)).toEqual([]);
	});
});
