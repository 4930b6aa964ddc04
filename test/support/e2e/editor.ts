import type { IConnections, INode } from 'n8n-workflow';
import { later, startBed } from './index';
import { Editor } from '../../../tools/browser/editor';
import { launchBrowser } from '../../../tools/browser/launch';
import { credentialOf } from '../../../tools/n8n';
import type { Workflow } from '../../../tools/n8n';

export { inARow, makeNode } from '../../../tools/n8n';

/** A signed-in editor on the shared n8n instance. */
export interface EditorBench {
	editor: Editor;
	/** Stores a workflow of the given nodes, each with the credential. */
	store(nodes: INode[], connections?: IConnections): Promise<Workflow>;
}

/** Opens the editor in a browser. */
export async function openEditor(): Promise<EditorBench> {
	const { n8n, credential } = await startBed();
	const browser = await launchBrowser();
	later(async () => await browser.close());
	return {
		editor: await Editor.open(browser, n8n.rest.url),
		async store(nodes, connections = {}) {
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
