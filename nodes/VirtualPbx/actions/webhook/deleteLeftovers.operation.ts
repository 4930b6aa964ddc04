import type { IDataObject } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { defineOptionsCollection } from '../../parameters/options';
import { defineRaw } from '../../parameters/parameter';
import type { Pbx } from '../../pbx/client';
import { messageOf } from '../../pbx/errors/meanings';
import { PbxError } from '../../pbx/errors/pbxError';
import type { Webhook } from '../../pbx/webhooks/webhooks';
import type { Operation, OperationCall } from '../operation';
import { itemsOf } from '../operation';
import { findRegistrations, isUnder, readAddress } from './parameters';

const address = defineRaw({
	displayName: 'Address',
	name: 'address',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. https://old-n8n.example.com/',
	description:
		'Address of the n8n instance whose webhooks you want to delete, with or without a path. Webhooks at other addresses stay.',
});

const dryRun = defineRaw({
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: true,
	description: 'Whether to only list the webhooks that would be deleted',
});

const notice = defineRaw({
	displayName:
		'Published workflows at this address stop receiving call events until you publish them again. Enter the address of an n8n instance that no longer exists.',
	name: 'leftoversNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { dryRun: [false] } },
});

/** GET `webhooks`, then DELETE `webhooks/{id}` for each leftover of the event trigger (§4.4). */
export const deleteLeftovers: Operation = {
	value: 'deleteLeftovers',
	name: 'Delete Leftovers',
	action: 'Delete leftover webhooks',
	description:
		'Delete the webhooks that Virtual PBX Triggers left behind at an address, for example after n8n has moved',
	kind: 'write',
	parameters: [address, dryRun, notice, defineOptionsCollection()],
	output:
		"One item per webhook: id, name, hook, uri, and deleted (true, or false in a dry run). Webhooks that weren't created by a trigger of this package are never listed or deleted",
	async execute(call) {
		const under = readAddress(call, address.read(call));
		const isDry = dryRun.read(call) !== false;
		const pbx = await call.pbx();
		const found = await findRegistrations(pbx, { mayCount: (uri) => isUnder(uri, under) });
		const items = found.map(briefly);
		return itemsOf(isDry ? items : await deleteAll(call, pbx, items));
	},
};

function briefly({ id, name, hook, uri }: Webhook): IDataObject {
	return { id, name, hook, uri, deleted: false };
}

/**
 * Tries to delete every webhook. Failures go into their items if the workflow continues on errors, else into one error.
 */
async function deleteAll(
	{ context, itemIndex }: OperationCall,
	{ webhooks }: Pbx,
	found: IDataObject[],
): Promise<IDataObject[]> {
	const failures: string[] = [];
	const items: IDataObject[] = [];
	for (const webhook of found) {
		const id = String(webhook.id);
		const failure = await webhooks.delete(id).then(
			() => undefined,
			(error: unknown) => error,
		);
		const isGone = !failure || (failure instanceof PbxError && failure.status === 404);
		if (!isGone) failures.push(`${id}: ${messageOf(failure)}`);
		items.push({ ...webhook, ...(isGone ? { deleted: true } : { error: messageOf(failure) }) });
	}
	if (failures.length === 0 || context.continueOnFail()) return items;
	throw new NodeOperationError(
		context.getNode(),
		`${failures.length} of ${found.length} webhooks couldn't be deleted`,
		{
			itemIndex,
			description: `${failures.join('; ')}. The other webhooks were deleted.`,
		},
	);
}
