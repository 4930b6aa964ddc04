import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { healthOf } from '../../events/health';
import type { Health } from '../../events/health';
import { findSecrets } from '../../events/secret';
import type { ItemContext } from '../../fields/inputs';
import { readTextList } from '../../fields/inputs';
import { optionsField, readAccountId, readOption } from '../../fields/options';
import { CONCURRENT_READS } from '../../transport/limits';
import { mapInOrder } from '../../transport/mapInOrder';
import { blankWebhookSecrets, withoutSecrets } from '../../values/secrets';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { attemptsOf } from './attempts';
import { findRegistrations, idOf, isUnder, readAddress } from './registrations';

const knownAddresses: INodeProperties = {
	displayName: 'Known Addresses',
	name: 'knownAddresses',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://hooks.example.com',
	description:
		'Other addresses at which the PBX may call your workflows, separated by commas, such as those of Delivery URL or of a second n8n',
};

/** The end of the address where n8n goes on with a waiting execution; what stands before it is n8n's webhook address. */
const WAITING = /\/[^/]+\/[^/]+$/;

/** GET `webhooks`, then GET `webhooks/{id}/attempts` for each that an event trigger has made (§4.4). */
export const checkHealth: Operation = {
	value: 'checkHealth',
	name: 'Check Health',
	action: 'Check health of webhooks',
	description:
		'Check whether the PBX delivers events to your Virtual PBX Triggers, and find out why not',
	kind: 'read',
	fields: [optionsField(knownAddresses)],
	output:
		'One item per webhook that a trigger of this package has registered: id, event, address, workflow, state (ok, switched off, failing, or unknown address), reason, lastSuccess, lastFailure with lastFailureStatus and lastFailureReason, and how many of the attempts that the PBX keeps succeeded and failed',
	async execute({ context, itemIndex, pbx }) {
		const known = addressesOf({ context, itemIndex });
		const isKnown = (uri: unknown) =>
			known.length === 0 || known.some((address) => isUnder(uri, address));
		const work = { pbx: await pbx(), accountId: readAccountId(context, itemIndex), itemIndex };
		const webhooks = await findRegistrations(work, { onlyLooks: true });
		const items = await mapInOrder(webhooks.length, CONCURRENT_READS, async (index) => {
			const found = webhooks[index] ?? {};
			const webhook: IDataObject & { id: string } = { ...found, id: idOf(found) ?? '' };
			const { entries, fault } = await attemptsOf(work, webhook.id);
			const health = healthOf(webhook, entries, isKnown(webhook.uri), fault);
			return withoutSecrets(work.pbx.withoutSecrets(withoutMark(health, webhook)));
		});
		return itemsOf(items);
	},
};

/** What the PBX logs may hold what it has sent, and so the secret. */
function withoutMark(health: Health, webhook: IDataObject): Health {
	const secrets = findSecrets(webhook);
	const { reason, lastFailureReason } = health;
	return {
		...health,
		reason: blankWebhookSecrets(reason, secrets),
		lastFailureReason: lastFailureReason && blankWebhookSecrets(lastFailureReason, secrets),
	};
}

/** Where this n8n listens, and what the user knows besides; empty where n8n does not tell. */
function addressesOf(at: ItemContext): URL[] {
	const given = readOption(at.context, at.itemIndex, 'knownAddresses');
	const list =
		given === undefined || given === '' ? [] : readTextList(at, given, 'Known Addresses', /,/);
	const own = ownAddress(at.context, at.itemIndex);
	return [...(own ? [own] : []), ...list.map((entry) => readAddress(at, entry))];
}

function ownAddress(context: IExecuteFunctions, itemIndex: number): URL | undefined {
	const url = context.evaluateExpression('{{ $execution.resumeUrl }}', itemIndex);
	if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
	const { origin, pathname } = new URL(url);
	return new URL(`${origin}${pathname.replace(WAITING, '')}`);
}
