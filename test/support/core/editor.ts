import './environment';
import { ExecuteContext, LoadOptionsContext, RoutingNode } from 'n8n-core';
import { createEmptyRunExecutionData } from 'n8n-workflow';
import type {
	ILoadOptionsFunctions,
	INode,
	INodeCredentialTestResult,
	INodeListSearchResult,
} from 'n8n-workflow';
import { CREDENTIAL_TYPE, withDefaults } from './credentials';
import type { StoredCredential } from './credentials';
import { loadNodeTypes, makeNodeType } from './types';
import { makeAdditionalData, makeNode, makeWorkflow } from './workflow';
import type { TestNode } from './workflow';

/** Calls a list search of the node, as the editor does for a "From List" field. Throws what the method threw. */
export async function searchList(
	input: TestNode & { method: string; filter?: string; paginationToken?: string },
): Promise<INodeListSearchResult> {
	const { method, filter, paginationToken, ...testNode } = input;
	const node = makeNode(testNode);
	const nodeTypes = await loadNodeTypes([node.type]);
	const workflow = makeWorkflow([node], {}, nodeTypes);
	const additionalData = {
		...makeAdditionalData(workflow, 'internal'),
		currentNodeParameters: node.parameters,
	};
	const context = new LoadOptionsContext(workflow, node, additionalData, `parameters.${method}`);
	const { methods } = nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
	const search = methods?.listSearch?.[method];
	if (!search) throw new Error(`${node.type} has no list search named ${method}`);
	const called = context as unknown as ILoadOptionsFunctions;
	return await search.call(called, filter, paginationToken);
}

const TESTER = 'n8n-nodes-base.noOp';

/** Tests a stored credential by its `test` request, as n8n does on "Save" in the credential's dialog. */
export async function testCredential(
	credential: StoredCredential,
): Promise<INodeCredentialTestResult> {
	const { name: type, test } = CREDENTIAL_TYPE;
	// The node that n8n invents to send the request.
	const routing = { request: test.request };
	const temp = { displayName: 'Temp', name: 'temp', type: 'string' as const, default: '', routing };
	const credentials = [{ name: type, required: true }];
	const nodeType = makeNodeType(TESTER, { description: { credentials, properties: [temp] } });
	const node: INode = { ...makeNode({ type: TESTER, name: 'Temp-Node', credential }), id: 'temp' };
	const workflow = makeWorkflow([node], {}, await loadNodeTypes([TESTER], { [TESTER]: nodeType }));
	const context = new ExecuteContext(
		workflow,
		node,
		{ ...makeAdditionalData(workflow, 'internal'), currentNodeParameters: node.parameters },
		'internal',
		createEmptyRunExecutionData(),
		0,
		[],
		{ main: [[{ json: {} }]] },
		{ node, data: {}, source: null },
		[],
	);
	const { id, name } = credential;
	const decrypted = { id, name, type, data: withDefaults(credential.read()) };
	try {
		await new RoutingNode(context, nodeType, decrypted).runNode();
		return { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		return { status: 'Error', message: wordsFor(error as TestError) };
	}
}

interface TestError extends Error {
	cause?: { code?: string; response?: { status: number; statusText: string } };
}

function wordsFor({ message, cause }: TestError) {
	if (!cause?.response) return cause?.code ?? message;
	const { status, statusText } = cause.response;
	return statusText || `Received HTTP status code: ${status}`;
}
