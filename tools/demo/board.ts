import type { N8nClient, Workflow } from '../n8n';
import { publish } from './examples';

/**
 * Creates the live board's data table, and publishes the workflow that writes the calls and serves
 * the page. Returns the page's address.
 */
export async function publishBoard(client: N8nClient, board: Workflow): Promise<string> {
	await client.runManually(board, 'Set Up');
	await client.waitForExecutions(board.id);
	await publish(client, board);
	const page = board.nodes.find(({ name }) => name === 'Open Board');
	return `${client.rest.url}/webhook/${String(page?.parameters.path)}`;
}
