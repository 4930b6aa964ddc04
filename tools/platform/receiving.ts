import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import type { CallEvent } from '../../nodes/VirtualPbx/pbx/events/callEvent';
import { readEvent } from '../../nodes/VirtualPbx/pbx/events/callEvent';
import { readDelivery, findTags } from '../../nodes/VirtualPbx/pbx/events/delivery';
import { newTag, removedAfter, webhookAt } from './changing';
import type { Feature, Finding } from './finding';
import { breaks, differs, unknown, works } from './finding';

const HOOKS = ['channel_create', 'channel_answer', 'channel_destroy'];
/** How long to wait for a call, and, after it ends, for its last events. */
const PATIENCE_MS = 180_000;
const LAST_EVENTS_MS = 2000;

/** A delivery as it arrived. */
interface Received {
	type: string;
	event: CallEvent | undefined;
	rejection: string | undefined;
	secrets: string[];
}

/** Checks that need a real call, which the person at the terminal places. */
export const RECEIVING: Feature[] = [
	{
		name: 'Receive call events',
		usedBy: 'Virtual PBX Trigger',
		async *check({ pbx, receiver, show }) {
			if (receiver === undefined) return yield unknown('No address to receive events');
			const tag = newTag();
			const inbox = await listen(receiver.port).catch(({ message }: Error) => message);
			if (typeof inbox === 'string')
				return yield unknown(
					`Can't listen on port ${receiver.port}: ${inbox}. Choose another --port`,
				);
			/** Registers one webhook after another, and removes each, whatever happens in between. */
			const receiveAll = async function* (hooks: readonly string[]): AsyncGenerator<Finding> {
				const [hook, ...others] = hooks;
				if (hook === undefined) {
					const minutes = PATIENCE_MS / 60_000;
					show(`Now call one of your numbers, answer, and hang up (within ${minutes} minutes) …`);
					return yield* judge(await inbox.untilCallEnds(), tag.secret);
				}
				const { id } = await pbx.webhooks.create(webhookAt(receiver.url, hook, tag));
				yield* removedAfter(pbx, 'webhooks', id, () => receiveAll(others));
			};
			try {
				yield* receiveAll(HOOKS);
			} finally {
				await inbox.close();
			}
		},
	},
];

function* judge(received: readonly Received[], secret: string): Iterable<Finding> {
	if (received.length === 0)
		return yield breaks(
			'No event arrived. Can the PBX reach the address, and did you place a call?',
		);
	const events = received.flatMap(({ event }) => event ?? []);
	const types = [...new Set(received.map(({ type }) => type))].join(', ');
	yield works(
		`${events.length} events of ${new Set(events.map(({ callId }) => callId)).size} legs arrived (${types})`,
	);
	const rejected = received.find(({ rejection }) => rejection !== undefined);
	if (rejected) yield breaks(`The nodes reject a delivery: ${rejected.rejection}`);
	if (received.some(({ secrets }) => !secrets.includes(secret)))
		yield breaks(
			'Deliveries lack the custom data of their webhook. Turn off Verify Deliveries in the trigger',
		);
	const missing = HOOKS.filter((hook) => !events.some((event) => event.hook === hook));
	if (missing.length > 0) yield differs(`No event of ${missing.join(', ')} arrived`);
	if (events.every(({ at }) => at === undefined)) yield differs('Events have no time');
	if (events.every(({ direction }) => direction === undefined))
		yield breaks('Events have no direction, so a call starts a workflow once per leg');
}

/** Receives deliveries on a port of all network interfaces, and responds with 200 to each, as n8n does. */
async function listen(port: number) {
	const received: Received[] = [];
	let end: (() => void) | undefined;
	const server = createServer((request, response) => {
		const take = (raw: Buffer) => {
			response.writeHead(200).end();
			const one = readReceived(
				raw.toString(),
				request.headers['content-type'] ?? 'no content type',
			);
			received.push(one);
			if (one.event?.hook === 'channel_destroy') end?.();
		};
		// An incomplete delivery doesn't count.
		void buffer(request).then(take, () => response.destroy());
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject).listen(port, resolve);
	});
	return {
		async untilCallEnds(): Promise<Received[]> {
			const ended = new Promise<void>((resolve) => (end = resolve));
			const last = ended.then(async () => await sleep(LAST_EVENTS_MS));
			await Promise.race([last, sleep(PATIENCE_MS, undefined, { ref: false })]);
			return received;
		},
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

function readReceived(raw: string, type: string): Received {
	const delivery = readDelivery({ text: raw, parsed: undefined, isJson: false });
	const read = 'entry' in delivery ? readEvent(delivery.entry) : delivery;
	const event = 'event' in read ? read.event : undefined;
	const rejection = 'rejection' in read ? read.rejection.reason : undefined;
	const secrets = 'entry' in delivery ? findTags(delivery.entry).map(({ secret }) => secret) : [];
	return { type, event, rejection, secrets };
}
