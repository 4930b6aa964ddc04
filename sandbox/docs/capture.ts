import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Call } from '../calls/call';
import { Exchange } from '../calls/exchange';
import type { Leg } from '../calls/leg';
import { completeOrder } from '../calls/params';
import { eventArgs } from '../events/payload';
import { defaultSeed } from '../model/default-seed';
import { Pbx } from '../model/pbx';
import type { Cdr, EventName } from '../model/types';
import type { Kind } from './kinds';

/** Fast enough for the docs to be written in a moment. */
const SPEED = 100_000;

/** An event as it was sent, with the second of the call. */
export interface Captured {
	second: number;
	leg: Leg;
	args: Record<string, unknown>;
}

/** A call of a kind with everything it gave. */
export interface Capture {
	call: Call;
	events: Captured[];
	cdrs: Cdr[];
}

/** Runs work while a web service gives an answer; its host is passed on. */
async function withService<T>(answer: unknown, work: (host: string) => Promise<T>): Promise<T> {
	const server = createServer((_request, response) => {
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(JSON.stringify(answer));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	try {
		return await work(`127.0.0.1:${(server.address() as AddressInfo).port}`);
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

/** Lets the pivot of the seed ask another web service. */
function askAt(pbx: Pbx, host: string): void {
	for (const { callflows } of pbx.accounts.values()) {
		for (const { id, flow } of callflows.all()) {
			if (flow.module === 'pivot')
				flow.data.voice_url = `{dflow}&callflow_id=${id}&webserver=${host}/route`;
		}
	}
}

/** Places a call of a kind in a PBX of its own and writes down its events and CDRs. */
export async function capture({ order, answer }: Kind): Promise<Capture> {
	const pbx = new Pbx(defaultSeed);
	const events: Captured[] = [];
	const emit = (call: Call, leg: Leg, event: EventName) => {
		const args = eventArgs({ call, leg, event, msgId: '', settings: pbx.settings });
		events.push({ second: Math.round(call.timeline.seconds), leg, args });
	};
	const exchange = new Exchange(pbx, { emit, stop: () => {}, push: async () => '' });
	const call = await withService(answer, async (host) => {
		askAt(pbx, host);
		const placed = exchange.place(completeOrder({ speed: SPEED, ...order }));
		if (!placed) throw new Error('The seed has no account');
		await exchange.settled(placed, 'ended');
		return placed;
	});
	await pbx.client.close();
	return {
		call,
		events,
		cdrs: [...call.account.cdrs.range(0, Number.MAX_SAFE_INTEGER - 1)].reverse(),
	};
}
