import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { findMarks } from '../../../events/secret';
import type { Mark } from '../../../events/secret';
import type { PbxHook } from '../../../events/table';
import { hookOfName } from '../../../events/table';
import type { Pbx } from '../../../transport/pbx';
import { asText } from '../../../values/json';
import { isDisabled } from '../../../webhooks/health';
import { isSameAddress, listWebhooks, readWebhooks, webhookId } from '../../../webhooks/list';
import { isListening } from '../../activeNodes';
import { ownerOf } from '../authenticity';
import type { DesiredWebhooks } from './desired';

const MAX_REASON = 200;

/** A webhook of this node as the PBX shows it. */
export interface ObservedWebhook {
	id: string;
	/** Undefined for a hook that the event trigger does not know. */
	hook: PbxHook | undefined;
	/** Whether it calls the address that is desired now. */
	isHere: boolean;
	mark: Mark | undefined;
	hidesCustomData: boolean;
	isDisabled: boolean;
	/** Why the PBX has disabled it, in its words. */
	disableReason: string | undefined;
}

/**
 * Finds the webhooks of this node at the PBX (§4.4): those that call exactly its address and are not marked by another node,
 * and those with its own mark that a stopped n8n has left at its test address. With `isListEnough`, what the list shows of
 * them will do where the PBX does not show them one by one. Notes in `desired` that the PBX shows marks. Throws a NodeApiError.
 */
export async function observe(
	context: IHookFunctions | ITriggerFunctions,
	pbx: Pbx,
	desired: DesiredWebhooks,
	isListEnough = false,
): Promise<ObservedWebhook[]> {
	const { uri } = desired;
	const testUri = isListening(context) ? undefined : desired.testUri;
	const isAtOurs = (given: unknown) =>
		isSameAddress(given, uri) || (testUri !== undefined && isSameAddress(given, testUri));
	const listed = await listWebhooks(pbx);
	const possible = listed.filter((item) => typeof item.uri !== 'string' || isAtOurs(item.uri));
	const whole = await readWebhooks(pbx, possible).catch((error: unknown) => {
		if (isListEnough && possible.length > 0) return possible;
		throw error;
	});
	const found = whole
		.filter((webhook) => isAtOurs(webhook.uri))
		.map((webhook) => read(webhook, uri))
		.filter(({ mark, isHere }) => (mark ? mark.owner === ownerOf(context) : isHere));
	desired.showsMarks ||= found.some(({ mark }) => mark !== undefined);
	return found;
}

function read(webhook: IDataObject, uri: string): ObservedWebhook {
	return {
		id: webhookId(webhook) ?? '',
		hook: hookOfName(asText(webhook.hook) ?? ''),
		isHere: isSameAddress(webhook.uri, uri),
		mark: findMarks(webhook.custom_data)[0],
		hidesCustomData: (webhook.custom_data ?? undefined) === undefined,
		isDisabled: isDisabled(webhook),
		disableReason: asText(webhook.disable_reason)?.slice(0, MAX_REASON),
	};
}
