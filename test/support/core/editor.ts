import './environment';
import { ExecuteContext, LoadOptionsContext, RoutingNode } from 'n8n-core';
import { createEmptyRunExecutionData } from 'n8n-workflow';
import type {
	ICredentialsDecrypted,
	ICredentialTestRequestData,
	ILoadOptionsFunctions,
	INode,
	INodeCredentialTestResult,
	INodeListSearchResult,
	INodeType,
} from 'n8n-workflow';
import { withDefaults } from './credentials';
import type { StoredCredential } from './credentials';
import { loadNodeTypes, makeNodeType } from './types';
import type { ExtraTypes } from './types';
import { makeAdditionalData, makeNode, makeWorkflow } from './workflow';
import type { TestNode } from './workflow';

/** Input of {@link searchList}: the node as it is in the editor. */
export type EditorInput = TestNode & { method: string; types?: ExtraTypes };

async function editorContext(input: EditorInput) {
	const { method, types, ...testNode } = input;
	const node = makeNode(testNode);
	const nodeTypes = await loadNodeTypes([node.type], types);
	const workflow = makeWorkflow([node], {}, nodeTypes);
	const additionalData = {
		...makeAdditionalData(workflow, 'internal'),
		currentNodeParameters: node.parameters,
	};
	const context = new LoadOptionsContext(workflow, node, additionalData, `parameters.${method}`);
	const { methods } = nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
	return { context: context as unknown as ILoadOptionsFunctions, methods: methods ?? {} };
}

/** Calls a list search of the node, as the editor does for a "From List" field. Throws what the method threw. */
export async function searchList(
	input: EditorInput & { filter?: string; paginationToken?: string },
): Promise<INodeListSearchResult> {
	const { filter, paginationToken, ...rest } = input;
	const { context, methods } = await editorContext(rest);
	const search = methods.listSearch?.[input.method];
	if (!search) throw new Error(`${input.type} has no list search named ${input.method}`);
	return await search.call(context, filter, paginationToken);
}

const TESTER = 'n8n-nodes-base.noOp';

/** Builds the node that n8n invents to send a credential's test request. */
function tester(credentialName: string, test: ICredentialTestRequestData): INodeType {
	const temp = {
		displayName: 'Temp',
		name: 'temp',
		type: 'string' as const,
		routing: { request: test.testRequest.request },
		default: '',
	};
	const credentials = [{ name: credentialName, required: true }];
	return makeNodeType(TESTER, { description: { credentials, properties: [temp] } });
}

/** Tests a stored credential by its `test` request, as n8n does on "Save" in the credential's dialog. */
export async function testCredential(
	credential: StoredCredential,
): Promise<INodeCredentialTestResult> {
	const { type, id, name } = credential;
	if (!type.test) throw new Error(`${type.name} has no test request`);
	const nodeType = tester(type.name, { testRequest: type.test });
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
	const data = withDefaults(type, credential.read());
	const decrypted: ICredentialsDecrypted = { id, name, type: type.name, data };
	try {
		await new RoutingNode(context, nodeType, decrypted).runNode();
		return { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		return { status: 'Error', message: wordsFor(error as TestError, type.test.rules ?? []) };
	}
}

interface TestError extends Error {
	cause?: { code?: string; response?: { status: number; statusText: string } };
}

function wordsFor(
	{ message, cause }: TestError,
	rules: ICredentialTestRequestData['testRequest']['rules'] & object,
) {
	if (!cause?.response) return cause?.code ?? message;
	const { status, statusText } = cause.response;
	for (const { type, properties } of rules) {
		if (type === 'responseCode' && properties.value === status) return properties.message;
	}
	return statusText || `Received HTTP status code: ${status}`;
}
