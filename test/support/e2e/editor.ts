import type { IConnections, INode } from 'n8n-workflow';
import { later, startBed } from './index';
import { Editor } from '../../../tools/browser/editor';
import { launchBrowser } from '../../../tools/browser/launch';
import { credentialOf } from '../../../tools/n8n';

export { inARow, makeNode } from '../../../tools/n8n';

export type EditorBench = Awaited<ReturnType<typeof openEditor>>;

/** Opens the editor on the shared n8n instance in a browser, signed in. */
export async function openEditor() {
	const { n8n, credential } = await startBed();
	const browser = await launchBrowser();
	later(async () => await browser.close());
	return {
		editor: await Editor.open(browser, n8n.rest.url),
		/** Stores a workflow of the given nodes, each with the credential. */
		async store(nodes: INode[], connections: IConnections = {}) {
			const withCredential = nodes.map((node) =>
				node.type.startsWith('n8n-nodes-virtual-pbx.')
					? { ...node, ...credentialOf(credential) }
					: node,
			);
			const workflow = { name: 'Editor test', nodes: withCredential, connections };
			return await n8n.createWorkflow(workflow);
		},
	};
}
