import { NodeHelpers } from 'n8n-workflow';
import type { INode, INodeParameters } from 'n8n-workflow';

import { VirtualPbx } from '../../../nodes/VirtualPbx/VirtualPbx.node';

const { description } = new VirtualPbx();

/** What n8n would complain about before it starts a workflow with such a node; names of parameters. */
function complaints(parameters: INodeParameters): string[] {
	const node: INode = {
		id: 'a',
		name: 'PBX',
		type: 'virtualPbx',
		typeVersion: 1,
		position: [0, 0],
		parameters,
	};
	const issues = NodeHelpers.getNodeParametersIssues(description.properties, node, description);
	return Object.keys(issues?.parameters ?? {});
}

describe('choices that come from expressions', () => {
	const upsert = { resource: 'callflow', operation: 'upsert', number: '100' };

	it('do not make a field required that may belong to another choice', () => {
		expect(complaints({ ...upsert, flowSource: '={{ $json.kind }}' })).toEqual([]);
		expect(complaints({ ...upsert, flowSource: 'pivot' })).toEqual(['serviceUrl']);
		expect(complaints({ ...upsert, flowSource: 'json' })).toEqual([]);
	});

	it('of what to work on do not either', () => {
		const file = { binaryPropertyName: 'data' };
		const download = { resource: 'recording', operation: 'download', ...file };
		const attempts = { resource: 'webhook', operation: 'getAttempts' };

		expect(complaints({ ...download, source: '={{ $json.source }}' })).toEqual([]);
		expect(complaints({ ...attempts, attemptsOf: '={{ $json.scope }}' })).toEqual([]);
	});

	it('do not bring in the fields of other operations', () => {
		const many = { resource: 'callflow', operation: 'getMany', returnAll: '={{ true }}' };
		const parameters = NodeHelpers.getNodeParameters(
			description.properties,
			many,
			true,
			false,
			null,
			description,
		);

		expect(Object.keys(parameters ?? {}).sort()).toEqual(
			['filters', 'limit', 'operation', 'options', 'resource', 'returnAll'].sort(),
		);
	});
});
