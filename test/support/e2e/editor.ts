import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import type { IConnections, INode, INodeParameters } from 'n8n-workflow';
import { connect, startPbx } from './index';
import type { TestPbx } from './index';
import { Editor } from '../../../tools/browser/editor';
import { launchBrowser } from '../../../tools/browser/launch';
import type { Credential, N8nClient, Workflow } from '../../../tools/n8n';

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
	const { id, name } = credential;
	const browser: Browser = await launchBrowser();
	return {
		editor: await Editor.open(browser, n8n.rest.url),
		n8n,
		pbx,
		credential,
		async store(nodes, connections = {}) {
			const withCredential = nodes.map((node) =>
				node.type.startsWith(PACKAGE)
					? { ...node, credentials: { virtualPbxApi: { id, name } } }
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

const PACKAGE = 'n8n-nodes-virtual-pbx.';

/** A node of this package, or of n8n where the type has a dot. */
export function makeNode(
	name: string,
	type: string,
	parameters: INodeParameters = {},
	more: Partial<Pick<INode, 'position' | 'typeVersion'>> = {},
): INode {
	const webhookId = randomUUID();
	return {
		id: webhookId,
		webhookId,
		name,
		type: type.includes('.') ? type : PACKAGE + type,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		...more,
	};
}

/** Connections that lead from each node to the next one. */
export function inARow(...names: string[]): IConnections {
	return Object.fromEntries(
		names
			.slice(0, -1)
			.map((name, index) => [
				name,
				{ main: [[{ node: names[index + 1] ?? '', type: 'main' as const, index: 0 }]] },
			]),
	);
}
