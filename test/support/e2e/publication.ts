import type { N8nClient } from '../../../tools/n8n';

/** Publishes a workflow and waits until n8n has done it; the words of what failed, none where all went well. */
export async function publish(n8n: N8nClient, id: string): Promise<string> {
	return await n8n.activate(id).then(
		() => '',
		(error: unknown) => String(error),
	);
}
