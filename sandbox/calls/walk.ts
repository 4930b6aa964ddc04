import type { Pbx } from '../model/pbx';
import type { Callflow, FlowNode } from '../model/types';
import type { Call, CallResult } from './call';
import type { HangupCause } from './causes';
import { moduleOf } from './modules';
import { takeMessage } from './modules/media';
import { outside } from './modules/ringing';
import { forward } from './ring';

/** The limit for callflows that refer to each other in a loop. */
const MAX_HOPS = 50;

const RESULTS: Partial<Record<HangupCause, CallResult>> = {
	USER_BUSY: 'busy',
	NO_ANSWER: 'no-answer',
	CALL_REJECTED: 'declined',
	ORIGINATOR_CANCEL: 'cancelled',
	NO_ROUTE_DESTINATION: 'unroutable',
};

/** Numbers of emergency lines. */
const EMERGENCY = new Set(['112', '911']);

const childOf = (node: FlowNode): FlowNode | undefined =>
	node.children._ ?? Object.values(node.children)[0];

/** Walks a flow. Returns whether the call ended in it. */
async function walk(call: Call, flow: FlowNode, pbx: Pbx): Promise<boolean> {
	let node: FlowNode | undefined = flow;
	while (node && !call.hungUp) {
		if (++call.hops > MAX_HOPS) {
			call.note('callflows form a loop');
			return false;
		}
		const next = await moduleOf(node)(call, node, pbx);
		if (next === 'done') return true;
		node = next === 'child' ? childOf(node) : next.goto;
	}
	return call.hungUp;
}

/** Returns the hangup cause of the caller's leg if nothing else ended it. */
function causeFor(call: Call): HangupCause {
	if (call.first.state === 'answered') return 'NORMAL_CLEARING';
	if (call.lastCause) return call.lastCause;
	return call.hungUp ? 'ORIGINATOR_CANCEL' : 'NO_ANSWER';
}

/** A fax or a conference room takes the call (§2.2: other modules). */
async function takeByMachine(call: Call, machine: 'fax' | 'conference'): Promise<void> {
	call.stay();
	call.answer(call.first);
	call.note(`${machine} takes the call`);
	await call.pause(call.order.talk_seconds);
	call.result = machine;
}

async function route(call: Call, callflow: Callflow | undefined, pbx: Pbx): Promise<void> {
	const { taken_by: machine, forward_to: number } = call.order;
	if (machine !== undefined) return await takeByMachine(call, machine);
	if (number !== undefined) return await forward(call, number);
	if (!callflow || (call.first.device && EMERGENCY.has(call.order.to))) {
		if (call.first.device) await outside(call, EMERGENCY.has(call.order.to));
		else call.lastCause = 'NO_ROUTE_DESTINATION';
		return;
	}
	call.callflowId = callflow.id;
	call.note(`callflow ${callflow.name}`);
	const ended = await walk(call, callflow.flow, pbx);
	if (!ended && call.order.outcome === 'voicemail' && call.lastRung) {
		await takeMessage(call, call.lastRung);
	}
}

/** Rings the employee's phones, one of which answers. */
async function answerOwnPhone(call: Call): Promise<void> {
	call.note(`phone of ${call.order.from} rings first`);
	for (const leg of call.otherPhones) call.start(leg);
	const isAnswered = await call.pause(call.order.ring_seconds);
	if (isAnswered) call.answer(call.first);
	for (const leg of call.otherPhones) call.end(leg, isAnswered ? 'LOSE_RACE' : 'ORIGINATOR_CANCEL');
}

/** Runs a call from its first leg to its end, through the callflow that matches its number (§2.2, §3). */
export async function runCall(call: Call, pbx: Pbx): Promise<void> {
	call.start(call.first);
	if (call.order.kind === 'click_to_call') await answerOwnPhone(call);
	const callflow = call.account.callflows.match(call.order.to);
	if (!call.hungUp) await route(call, callflow, pbx);
	const cause = causeFor(call);
	call.end(call.first, cause);
	call.result ??= RESULTS[call.lastCause ?? cause] ?? 'failed';
}
