import type { Pbx } from '../model/pbx';
import type { Callflow, Device, FlowNode, Strategy, User } from '../model/types';
import { askWebService } from '../routing/ask';
import type { Call, CallResult } from './call';
import { numberParty, phoneParty, type HangupCause } from './leg';
import { forward, ring, talk, type RingTarget } from './ring';

/** Where a call goes after a module: nowhere (it has ended), to the node's child, or to another flow. */
type Next = 'done' | 'child' | { goto: FlowNode };

/** Runs a callflow module on a call (§2.2 module). */
type CallflowModule = (call: Call, node: FlowNode, pbx: Pbx) => Promise<Next>;

/** Leaves a module out, and notes why. */
function skip(call: Call, why: string): Next {
	call.note(why);
	return 'child';
}

function targetOf(
	{ account }: Call,
	device: Device,
	user: User | undefined,
	{ data }: FlowNode,
): RingTarget {
	const { name, username: number } = device;
	const { delay, timeout } = { delay: 0, timeout: 20, ...user?.ring };
	const seconds = (value: unknown, usual: number) =>
		typeof value === 'number' && value >= 0 ? value : usual;
	return {
		callee: user
			? phoneParty(account, user, device)
			: { ...numberParty(number, account.realm), name },
		device,
		user,
		delay: seconds(data.delay, delay),
		timeout: seconds(data.timeout, timeout),
	};
}

/** Rings groups of targets one after another. */
async function ringGroups(call: Call, groups: RingTarget[][]): Promise<Next> {
	for (const group of groups) {
		const leg = await ring(call, group);
		if (leg) await talk(call, leg);
		if (leg || call.hungUp) return 'done';
	}
	return 'child';
}

/** Rings an employee's devices simultaneously or one by one (§2.3 rules 2 and 3). */
const user: CallflowModule = async (call, node) => {
	const { id, strategy: wanted } = node.data;
	const by = typeof id === 'string' ? { id } : { extension: call.order.to };
	const callee = call.account.user(by);
	if (!callee) return skip(call, `user ${Object.values(by).join()} does not exist`);
	const targets = callee.devices.map((device) => targetOf(call, device, callee, node));
	const isKnown = wanted === 'single' || wanted === 'simultaneous';
	const strategy: Strategy = isKnown ? wanted : callee.ring.strategy;
	call.note(`user ${callee.extension} rings ${strategy}`);
	if (strategy === 'simultaneous') return await ringGroups(call, [targets]);
	const oneByOne = targets.map((target, index) => [index === 0 ? target : { ...target, delay: 0 }]);
	return await ringGroups(call, oneByOne);
};

/** Rings one device (§2.3). */
const device: CallflowModule = async (call, node) => {
	const found = call.account.device(String(node.data.id));
	if (!found) return skip(call, `device ${String(node.data.id)} does not exist`);
	const owner = call.account.user({ id: found.ownerId });
	call.note(`device ${found.username} rings`);
	return await ringGroups(call, [[targetOf(call, found, owner, node)]]);
};

/** Rings a number on the outside network, for calls placed by employees. */
async function outside(call: Call, isEmergency: boolean): Promise<void> {
	const number = call.order.reaches ?? call.order.to;
	call.isOutside = true;
	call.note(`outside number ${number} rings`);
	const role = isEmergency ? 'emergency' : undefined;
	await ringGroups(call, [[{ callee: numberParty(number), delay: 0, timeout: 60, role }]]);
}

/** Answers and plays an uploaded file (§2.3 rule 5). With `answer: false`, as early media. */
const play: CallflowModule = async (call, { data: { filename, id, answer } }) => {
	const named = [filename, id].find((value) => typeof value === 'string') ?? '';
	const file = call.account.soundFile(String(named)) ?? String(named);
	const seconds = call.account.sounds.get(file);
	if (seconds === undefined) return skip(call, `sound file ${file} does not exist`);
	if (answer !== false) call.answer(call.first);
	call.note(`plays ${file}`);
	const stays = await call.pause(seconds);
	call.result = 'played';
	return stays ? 'child' : 'done';
};

/** Answers with a mailbox and takes a message, if the caller leaves one (§2.3 rule 4). */
async function takeMessage(call: Call, owner: User): Promise<Next> {
	const { outcome, talk_seconds: seconds } = call.order;
	if (!owner.mailbox) return skip(call, `employee ${owner.extension} has no mailbox`);
	if (outcome !== 'voicemail' && outcome !== 'answered') {
		call.note(`caller hangs up instead of leaving a message for ${owner.extension}`);
		call.hangUp();
		return 'done';
	}
	call.note(`mailbox of ${owner.extension} takes a message`);
	call.answer(call.first);
	await call.pause(seconds);
	call.result = 'voicemail';
	return 'done';
}

/** The mailbox of the node's employee. */
const voicemail: CallflowModule = async (call, node) => {
	const owner = call.account.mailboxOwner(String(node.data.id));
	if (owner) return await takeMessage(call, owner);
	return skip(call, `mailbox of ${String(node.data.id)} does not exist`);
};

/** Continues in another callflow (§2.3). */
const callflow: CallflowModule = async (call, node) => {
	const target = call.account.callflows.get(String(node.data.id));
	if (!target) return skip(call, `callflow ${String(node.data.id)} does not exist`);
	call.note(`goes to callflow ${target.name}`);
	call.callflowId = target.id;
	return { goto: target.flow };
};

/** A Kazoo's module to hang up. */
const hangup: CallflowModule = async (call) => {
	call.note('the callflow hangs up');
	call.hangUp();
	return 'done';
};

/** How long a stock Kazoo waits after a refused connection or a late answer. */
const PAUSE_SECONDS = 10;
/** When a caller in silence hangs up. */
const PATIENCE_SECONDS = 20;

/** Follows the web service's routing answer, else continues at the node's child (§2.2, §2.3). */
const pivot: CallflowModule = async (call, node, pbx) => {
	const { entry, flow, afterNone } = await call.timeline.during(askWebService(pbx, call, node));
	const isOver = !flow && (afterNone === 'hangup' || afterNone === 'silence');
	const hasChild = Object.keys(node.children).length > 0;
	entry.outcome = flow ? 'executed' : hasChild && !isOver ? 'child' : 'ended';
	pbx.routing.push(entry);
	pbx.bus.publish('routing', () => entry);
	call.note(`web service asked: ${entry.outcome}`);
	if (flow) return { goto: flow };
	call.lastCause = 'NORMAL_TEMPORARY_FAILURE';
	if (afterNone === 'silence') {
		call.note('the caller hears nothing until they hang up');
		await call.pause(PATIENCE_SECONDS);
		call.hangUp();
	}
	if (isOver) return 'done';
	if (afterNone === 'pause') await call.pause(PAUSE_SECONDS);
	return 'child';
};

const MODULES: Record<string, CallflowModule> = {
	user,
	device,
	voicemail,
	callflow,
	hangup,
	play,
	pivot,
};

/** The limit for callflows that refer to each other in a loop. */
const MAX_HOPS = 50;

const RESULTS: Partial<Record<HangupCause, CallResult>> = {
	USER_BUSY: 'busy',
	NO_ANSWER: 'no-answer',
	CALL_REJECTED: 'declined',
	ORIGINATOR_CANCEL: 'cancelled',
	NO_ROUTE_DESTINATION: 'unroutable',
};

const EMERGENCY = new Set(['112', '911']);

const childOf = (node: FlowNode): FlowNode | undefined =>
	node.children._ ?? Object.values(node.children)[0];

/** Runs a node's module. An unknown one continues at the node's child. */
const runModule: CallflowModule = async (call, node, pbx) => {
	const run = Object.hasOwn(MODULES, node.module) ? MODULES[node.module] : undefined;
	return run ? await run(call, node, pbx) : skip(call, `module ${node.module} is not known here`);
};

/** Walks a flow. Returns whether the call ended in it. */
async function walk(call: Call, flow: FlowNode, pbx: Pbx): Promise<boolean> {
	let node: FlowNode | undefined = flow;
	while (node && !call.hungUp) {
		if (++call.hops > MAX_HOPS) {
			call.note('callflows form a loop');
			return false;
		}
		const next: Next = await runModule(call, node, pbx);
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
