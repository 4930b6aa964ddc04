import type { IDataObject } from 'n8n-workflow';
import type { N8nClient } from '../../tools/n8n';
import { connect } from '../support/e2e';
import { askTool } from '../support/e2e/mcp';
import type { McpServer } from '../support/e2e/mcp';

const OWN = 'n8n-nodes-virtual-pbx.';

describe('an assistant that searches for nodes with n8n’s own MCP server', () => {
	let n8n: N8nClient;
	let server: McpServer;

	/** Returns the response of n8n's workflow builder to a node search. */
	async function search(query: string): Promise<string> {
		const { structuredContent } = await askTool(server, 'search_nodes', { queries: [query] });
		return String((structuredContent as IDataObject).results);
	}

	beforeAll(async () => {
		n8n = await connect();
		await n8n.rest.request('PATCH', 'mcp/settings', { mcpAccessEnabled: true });
		const { apiKey } = await n8n.rest.request<{ apiKey: string }>('GET', 'mcp/api-key');
		server = { url: `${n8n.rest.url}/mcp-server/http`, token: apiKey };
	});
	afterAll(async () => {
		await n8n.rest.request('PATCH', 'mcp/settings', { mcpAccessEnabled: false });
	});

	it.each([
		['log every phone call in HubSpot', 'virtualPbxRecordTrigger'],
		['keep a log of all calls', 'virtualPbxRecordTrigger'],
		['get a transcript of each phone call', 'virtualPbxRecordTrigger'],
		['download the recording of a call', 'virtualPbx'],
		['list the callers whom nobody has called back', 'virtualPbx'],
		['tell me about missed calls', 'virtualPbxTrigger'],
		['show who is calling', 'virtualPbxTrigger'],
		['tell us when somebody leaves a voicemail', 'virtualPbxTrigger'],
		['decide where a call goes', 'virtualPbxRoutingTrigger'],
		['route incoming calls to the responsible manager', 'virtualPbxRoutingTrigger'],
	])('“%s” has in its first three results: %s', async (sentence, node) => {
		const found = (await search(sentence)).match(/^- \S+/gm)?.map((line) => line.slice(2)) ?? [];
		// Nodes of a service mentioned by name rank first.
		const others = found.filter((id) => !/\.hubspot(?:Trigger|Tool)?$/.test(id));

		expect(others.slice(0, 3)).toContain(OWN + node);
	});

	it('reads what each node is for, which nodes it requires, and what agents should not use', async () => {
		const results = await search('virtual pbx');
		const types = await askTool(server, 'get_node_types', {
			nodeIds: [{ nodeId: `${OWN}virtualPbx`, resource: 'recording', operation: 'download' }],
		});

		for (const node of ['virtualPbx', 'virtualPbxTrigger', 'virtualPbxRecordTrigger'])
			expect(results).toMatch(
				new RegExp(`^- ${OWN}${node}( .*)?\\n(  .*\\n)*  @builderHint `, 'm'),
			);
		expect(results).toContain(`    - ${OWN}virtualPbx: "Required: Routing > Respond`);
		expect(results).toMatch(/- download\n.*not for AI agents.*\n.*@builderHint Returns a file/);
		expect(JSON.stringify(types)).toContain('recordingUrl');
	});
});
