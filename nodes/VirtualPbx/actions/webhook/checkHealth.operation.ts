import type { IExecuteFunctions } from 'n8n-workflow';

import { defineOptionsCollection, optionsIn } from '../../parameters/options';
import { defineTextList } from '../../parameters/parameter';
import { healthOf } from '../../pbx/webhooks/health';
import { isListenedTo } from '../../triggers/runtime/requests';
import { CONCURRENT_READS, mapInOrder } from '../../util/limits';
import type { Operation } from '../operation';
import { itemsOf } from '../operation';
import { findRegistrations, isUnder, readAddress } from './parameters';

const knownAddresses = defineTextList({
	displayName: 'Known Addresses',
	name: 'knownAddresses',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://hooks.example.com',
	description:
		'Other addresses at which the PBX calls your workflows, separated by commas, such as a Delivery URL or a second n8n instance',
	separator: /,/,
	canBeEmpty: true,
}).map((list, place) => list.map((entry) => readAddress(place, entry)));

/** The end of the URL that resumes a waiting execution. The part before it is n8n's webhook address. */
const WAITING = /\/[^/]+\/[^/]+$/;

/** GET `webhooks`, then GET `webhooks/{id}/attempts` for each one that an event trigger created (§4.4). */
export const checkHealth: Operation = {
	value: 'checkHealth',
	name: 'Check Health',
	action: 'Check webhook health',
	description: 'Check whether your triggers still receive events, and if not, why',
	kind: 'read',
	parameters: [defineOptionsCollection(knownAddresses)],
	output:
		'One item per webhook that a trigger of this package has registered: id, event, address, workflow, state (ok, switched off, not published, failing, or unknown address), reason, lastSuccess, lastFailure with lastFailureStatus and lastFailureReason, and how many of the attempts that the PBX keeps succeeded and failed',
	async execute(call) {
		const { context, itemIndex } = call;
		const own = n8nAddress(context, itemIndex);
		const isOwn = (uri: string) => own !== undefined && isUnder(uri, own);
		const known = [...(own ? [own] : []), ...(knownAddresses.readIfSet(optionsIn(call)) ?? [])];
		const isKnown = (uri: string) =>
			known.length === 0 || known.some((address) => isUnder(uri, address));
		const pbx = await call.pbx();
		const webhooks = await findRegistrations(pbx, { alsoByName: true });
		const items = await mapInOrder(webhooks, CONCURRENT_READS, async (webhook) => {
			const { id, uri = '' } = webhook;
			const { entries, fault } = await pbx.webhooks.log(id);
			const isPublished = isOwn(uri) ? await isListenedTo(context, uri) : undefined;
			const health = healthOf(webhook, {
				attempts: entries,
				fault,
				isKnown: isKnown(uri),
				isPublished,
			});
			return pbx.withoutSecrets(health);
		});
		return itemsOf(items);
	},
};

/** Returns the address where this n8n instance listens, or undefined if n8n doesn't show it. */
function n8nAddress(context: IExecuteFunctions, itemIndex: number): URL | undefined {
	const url = context.evaluateExpression('{{ $execution.resumeUrl }}', itemIndex);
	if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
	const { origin, pathname } = new URL(url);
	return new URL(`${origin}${pathname.replace(WAITING, '')}`);
}
