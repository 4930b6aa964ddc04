import type { Browser } from 'playwright-core';
import type { IConnections, INode } from 'n8n-workflow';
import { connect, startPbx } from './index';
import type { TestPbx } from './index';
import { Editor } from '../../../tools/browser/editor';
import { launchBrowser } from '../../../tools/browser/launch';
import { credentialOf } from '../../../tools/n8n';
import type { Credential, N8nClient, Workflow } from '../../../tools/n8n';

export { inARow, makeNode } from '../../../tools/n8n';

/** A signed-in editor on the shared n8n, with a sandbox PBX and a credential for it. */
export interface EditorBench {
	editor: Editor;
	n8n: N8nClient;
	pbx: TestPbx;
	credential: Credential;
	/** Stores a workflow of the given nodes, each with the credential. */
	store(nodes: INode[], connections?: IConnections): Promise<Workflow>;
	close(): Promise<void>;
}

/** Opens the editor in a browser. */
export async function openEditor(): Promise<EditorBench> {
	const n8n = await connect();
	const pbx = await startPbx();
	const credential = await n8n.createCredential('virtualPbxApi', 'PBX in the editor', pbx.account);
	const browser: Browser = await launchBrowser();
	return {
		editor: await Editor.open(browser, n8n.rest.url),
		n8n,
		pbx,
		credential,
		async store(nodes, connections = {}) {
			const withCredential = nodes.map((node) =>
				node.type.startsWith('n8n-nodes-virtual-pbx.')
					? { ...node, ...credentialOf(credential) }
					: node,
			);
			const workflow = { name: 'Editor test', nodes: withCredential, connections };
			return await n8n.createWorkflow(workflow);
		},
		async close() {
			await browser.close();
			await pbx.sandbox.close();
		},
	};
}
