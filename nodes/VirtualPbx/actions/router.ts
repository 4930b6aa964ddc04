import type { IExecuteFunctions, INodeExecutionData, NodeApiError } from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';

import { openPbx } from '../parameters/credential';
import { toNodeError } from '../parameters/nodeError';
import { readAccountId } from '../parameters/options';
import { itemScope } from '../parameters/parameter';
import type { Pbx } from '../pbx/client';
import { CONCURRENT_READS, mapInOrder } from '../util/limits';
import { DEFAULT_RESOURCE, RESOURCES } from './index';
import type { Operation, OperationItem } from './operation';

/** Runs the selected operation for every input item. Throws NodeApiError or NodeOperationError naming the item. */
export async function routeOperation(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const operation = chosenOperation(this);
	let opened: Promise<Pbx> | undefined;
	const pbx = async () => await (opened ??= openPbx(this));
	const limit = operation.kind === 'read' ? CONCURRENT_READS : 1;

	const turn = yieldBetweenItems();
	const perItem = await mapInOrder(this.getInputData(), limit, async (_, itemIndex) => {
		if (limit > 1 && itemIndex >= limit) await turn();
		try {
			if (isCancelled(this))
				throw new NodeOperationError(this.getNode(), 'The execution was canceled');
			const scope = itemScope(this, itemIndex);
			const ofItem = async () => (await pbx()).inAccount(readAccountId(scope));
			return pair(await operation.execute({ ...scope, pbx: ofItem }), itemIndex);
		} catch (error) {
			const failure = toNodeError(this, error, itemIndex);
			if (!this.continueOnFail() || isCancelled(this)) throw failure;
			return [failedItem(failure, itemIndex)];
		}
	});
	return [perItem.length === 1 ? (perItem[0] ?? []) : perItem.flat()];
}

/** Yields between items, so that n8n can send the next requests before it reads a batch of responses. */
function yieldBetweenItems(): () => Promise<void> {
	let last = Promise.resolve();
	return async () => await (last = last.then(async () => await sleep(0)));
}

function chosenOperation(context: IExecuteFunctions): Operation {
	const given = context.getNodeParameter('resource', 0, DEFAULT_RESOURCE);
	const resource = RESOURCES.find(({ value }) => value === given);
	const chosen = context.getNodeParameter('operation', 0, resource?.defaultOperation);
	const operation = resource?.operations.find(({ value }) => value === chosen);
	if (!operation) {
		throw new NodeOperationError(
			context.getNode(),
			`The operation "${String(chosen)}" of "${String(given)}" doesn't exist`,
			{ description: "Choose a 'Resource' and an 'Operation' from the lists in this node." },
		);
	}
	return operation;
}

function isCancelled(context: IExecuteFunctions): boolean {
	return context.getExecutionCancelSignal()?.aborted === true;
}

function pair(items: OperationItem[], itemIndex: number): INodeExecutionData[] {
	const paired = items as INodeExecutionData[];
	for (const item of paired) item.pairedItem = { item: itemIndex };
	return paired;
}

/** n8n recognizes a failed item by `error` and `details`. Of an error object it would keep only the message. */
function failedItem(
	failure: NodeApiError | NodeOperationError,
	itemIndex: number,
): INodeExecutionData {
	const details = failure.description ? { details: failure.description } : {};
	return { json: { error: failure.message, ...details }, pairedItem: { item: itemIndex } };
}
