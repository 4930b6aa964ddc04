import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { pivotData, pivotRootOf, withPivotRoot } from '../../nodes/VirtualPbx/pbx/callflows/flow';
import type { Pbx } from '../../nodes/VirtualPbx/pbx/client';
import { PbxError } from '../../nodes/VirtualPbx/pbx/errors/pbxError';
import { findTags, TAG_NAME, writeTag } from '../../nodes/VirtualPbx/pbx/events/delivery';
import type { WebhookInput } from '../../nodes/VirtualPbx/pbx/webhooks/webhooks';
import type { Feature, Finding } from './finding';
import { breaks, differs, findingOf, works } from './finding';

const NAME = 'n8n platform check';

/** A URL without a server, for webhooks that never receive events. */
const NOWHERE = 'n8n-platform-check.example.com/webhook';

/** Creates a tag as the Virtual PBX Trigger does, but for no workflow. */
export function newTag() {
	const hex = () => randomUUID().replace(/-/g, '');
	return { settings: hex().slice(0, 16), secret: hex() + hex() };
}

/** Creates a webhook as the Virtual PBX Trigger registers it. */
export function webhookAt(uri: string, hook: string, tag = newTag()): WebhookInput {
	const customData = { [TAG_NAME]: writeTag(tag) };
	return { name: `${NAME} (${hook})`, uri, method: 'post', hook, retries: 3, customData };
}

/** Checks that create something in the account, and remove it again. */
export const CHANGING: Feature[] = [
	{
		name: 'Register a webhook',
		usedBy: 'Virtual PBX Trigger, Webhook → Create, Update, Delete',
		async *check({ pbx }) {
			const sent = webhookAt(`https://${NOWHERE}/${randomUUID()}`, 'channel_destroy');
			const created = await pbx.webhooks.create(sent);
			yield* removedAfter(pbx, 'webhooks', created.id, async function* (id) {
				const { uri, hook, isDisabled, customData } = await pbx.webhooks.get(id);
				yield works('The PBX registers a webhook');
				if (uri !== sent.uri) yield breaks(`The PBX changes the address to ${uri}`);
				if (hook !== sent.hook) yield breaks(`The PBX changes the event to ${hook}`);
				if (isDisabled) yield breaks('The webhook is disabled from the start');
				yield* keptTag(customData);
				await pbx.webhooks.update(id, { name: `${NAME} (renamed)` });
				const after = await pbx.webhooks.get(id);
				if (after.uri !== sent.uri) yield breaks('An update of the name loses the address');
				if (findTags(after.customData).length < findTags(customData).length)
					yield breaks('An update of the name loses the custom data');
			});
		},
	},
	{
		name: 'Connect a callflow to a web service',
		usedBy: 'Call Routing Trigger, Callflow → Create, Update, Create or Update, Delete',
		async *check({ pbx }) {
			const child = { module: 'response', data: { code: 486 }, children: {} };
			let used = '';
			const created = await pbx.callflows.inFormat(undefined, async (format) => {
				used = format;
				return await pbx.callflows.create({
					name: NAME,
					numbers: [],
					patterns: [`^n8n-${randomUUID()}$`],
					flow: { ...withPivotRoot(undefined, dataFor(pbx, format)), children: { _: child } },
				});
			});
			yield* removedAfter(pbx, 'callflows', created.id, async function* (id) {
				const { flow } = await pbx.callflows.get(id);
				yield works('The PBX stores a callflow with a pivot module');
				if (used !== pbx.platform)
					yield differs(`The response format is ${used}, not the Platform Name; the nodes find it`);
				yield* keptFlow(flow);
				await pbx.callflows.update(id, { name: `${NAME} (renamed)` });
				const after = await pbx.callflows.get(id);
				if (pivotRootOf(after.flow) === undefined)
					yield breaks('An update of the name loses the flow');
			});
		},
	},
];

const dataFor = ({ dialect }: Pbx, format: string): IDataObject => {
	const service = { webserver: NOWHERE, scheme: 'https' };
	return pivotData(dialect, { ...service, method: 'GET', timeout: '5', format }, 'pending');
};

function* keptTag(customData: IDataObject): Iterable<Finding> {
	if (findTags(customData).length > 0) return;
	if (Object.keys(customData).length > 0)
		return yield breaks('The PBX changes the custom data, so the trigger would reject its events');
	yield differs(
		"The PBX doesn't show custom data, so the trigger can't see whether a webhook has its secret. Turn off 'Verify Deliveries' in the trigger",
	);
}

function* keptFlow(flow: IDataObject | undefined): Iterable<Finding> {
	const root = pivotRootOf(flow);
	if (root === undefined) return yield breaks("The PBX doesn't keep the pivot module");
	const { voice_url: url } = (root.data ?? {}) as IDataObject;
	if (!String(url).includes(NOWHERE))
		yield breaks(`The PBX doesn't keep the address of the web service: ${String(url)}`);
	if (Object.keys((root.children ?? {}) as IDataObject).length === 0)
		yield breaks(
			"The PBX doesn't keep the pivot module's child flow, so calls have no fallback while n8n is down",
		);
}

/** Runs checks of a new object, then deletes it, even if a check fails. If deletion fails, yields what is left. */
export async function* removedAfter(
	pbx: Pbx,
	kind: 'callflows' | 'webhooks',
	id: string | undefined,
	check: (id: string) => AsyncIterable<Finding>,
): AsyncGenerator<Finding> {
	if (id === undefined) return yield breaks(`The PBX returned no ID. Remove "${NAME}" by hand`);
	try {
		yield* check(id);
	} catch (error) {
		yield findingOf(error);
	}
	try {
		await pbx[kind].delete(id);
		const left = await pbx[kind].get(id).then(
			() => true,
			(error: unknown) => error instanceof PbxError && error.status !== 404,
		);
		if (left)
			yield differs("After its deletion, the PBX still shows it, or doesn't respond with 404");
	} catch (error) {
		yield breaks(
			`It couldn't be deleted. Remove "${NAME}" (ID ${id}) by hand. ${findingOf(error).says}`,
		);
	}
}
