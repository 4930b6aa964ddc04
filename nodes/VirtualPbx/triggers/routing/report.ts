import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	INodeExecutionData,
	ITriggerFunctions,
} from 'n8n-workflow';

import type { Connection, Undoing } from './connection/connect';
import { lossWords } from '../../transport/changes';
import { recordedOthers } from './connection/record';

/** Writes a warning into n8n's log that names the node and its workflow. */
export function warn(context: IHookFunctions | ITriggerFunctions, text: string): void {
	const { name = '' } = context.getWorkflow();
	context.logger.warn(
		`Virtual PBX Routing Trigger "${context.getNode().name}" in "${name}": ${text}`,
	);
}

/** The words of an error, whatever was thrown. */
export const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * What is to be said of an undoing in n8n's log, after the callflow's ID; undefined when all is as it was.
 *
 * @param webserver the present address of this node
 */
export function remarkOn(
	undoing: Undoing,
	record: Connection | undefined,
	webserver: string,
): string | undefined {
	const changed = 'was changed by someone else';
	switch (undoing.state) {
		case 'gone':
			return 'is deleted at the PBX: there is nothing to restore';
		case 'left':
			return `still asks this node and stays unchanged: ${undoing.words}`;
		case 'none':
			if (!record) return undefined;
			return record.webserver !== webserver && undoing.asked.includes(record.webserver)
				? `asks ${record.webserver} and stays unchanged: this n8n was there before, or is a copy of the one there`
				: `${changed} and stays unchanged: it no longer has the pivot module`;
		case 'restored':
			if (undoing.stays.length > 0)
				return `${changed}: not every pivot module was removed: ${undoing.stays[0]}`;
			return undoing.isChanged ? `${changed}: only the pivot module was removed` : undefined;
	}
}

/** Where n8n listens for a routing trigger of this package: `/webhook/<ID>/routing`, behind whatever prefix. */
const ROUTING_PATH = /\/(?:webhook\/[^/]+|[0-9a-f]{8}-[0-9a-f-]{27})\/routing\/?$/i;

/** Those of the web services that a callflow asks which are routing triggers of other workflows, of this or another n8n. */
export function otherWorkflows(asked: readonly string[], webserver: string): string[] {
	const others = asked.filter((address) => address !== webserver && ROUTING_PATH.test(address));
	return [...new Set(others)];
}

/** Says in n8n's log that several workflows route a callflow, and which of them is asked first. */
export function warnOfOthers(
	context: IHookFunctions | ITriggerFunctions,
	callflowId: string,
	asked: readonly string[],
	webserver: string,
): void {
	const others = otherWorkflows(asked, webserver);
	const [other] = others;
	if (other === undefined) return;
	const isFirst = asked.indexOf(webserver) < asked.indexOf(other);
	warn(
		context,
		`callflow ${callflowId} also asks ${others.join(', ')}: ${isFirst ? 'the PBX asks this workflow first, and the other one only if it cannot reach this one' : 'the PBX asks that workflow first, and this one only if it cannot reach that one'}`,
	);
}

/**
 * Tells in n8n's log which fields of a callflow the PBX has lost over a change of its flow.
 *
 * @param done what came of the change; nothing is told where nothing is lost
 */
export function warnOfLoss(
	context: IHookFunctions | ITriggerFunctions,
	callflowId: string,
	done: Undoing | { gone: IDataObject },
): void {
	const gone = 'gone' in done ? done.gone : {};
	if (Object.keys(gone).length > 0) warn(context, `callflow ${callflowId} ${lossWords(gone)}`);
}

/**
 * Passes the items of a routing request on, with a hint where the callflow also asks another workflow: an activation
 * can show a person nothing but an error.
 */
export async function passOn(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const others = recordedOthers(context);
	if (others.length > 0) {
		context.addExecutionHints({
			message: `Another workflow also routes this callflow: ${others.join(', ')}. The PBX first asks the one that was published last, and the other one only if it cannot reach the first.`,
			type: 'warning',
			location: 'outputPane',
		});
	}
	return [context.getInputData()];
}
