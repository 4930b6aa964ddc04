import type { Device, FlowNode, Strategy, User } from '../../model/types';
import type { Call } from '../call';
import { ring, talk, type RingTarget } from '../ring';
import { numberIn, type CallflowModule, type Next } from './module';

function targetOf(call: Call, device: Device, user: User | undefined, node: FlowNode): RingTarget {
	return {
		callee: {
			number: user?.extension ?? device.username,
			name: user?.name ?? device.name,
			user: device.username,
			realm: call.account.realm,
		},
		device,
		...(user ? { user } : {}),
		delay: numberIn(node, 'delay', user?.ring.delay ?? 0),
		timeout: numberIn(node, 'timeout', user?.ring.timeout ?? 20),
	};
}

function strategyOf(node: FlowNode, user: User): Strategy {
	const { strategy } = node.data;
	return strategy === 'single' || strategy === 'simultaneous' ? strategy : user.ring.strategy;
}

/** Rings groups of targets in turn. Once one answers, the parties talk and the call ends. */
async function ringGroups(call: Call, groups: RingTarget[][]): Promise<Next> {
	for (const group of groups) {
		const leg = await ring(call, group);
		if (leg) {
			await talk(call, leg);
			return 'done';
		}
		if (call.hungUp) return 'done';
	}
	return 'child';
}

/** Module `user`: rings an employee's devices simultaneously or one by one (§2.3 rules 2 and 3). */
export const user: CallflowModule = async (call, node) => {
	const { id } = node.data;
	const by = typeof id === 'string' ? { id } : { extension: call.order.to };
	const callee = call.account.user(by);
	if (!callee) {
		call.note(`user ${Object.values(by).join()} does not exist`);
		return 'child';
	}
	const targets = callee.devices.map((device) => targetOf(call, device, callee, node));
	const strategy = strategyOf(node, callee);
	call.note(`user ${callee.extension} rings ${strategy}`);
	if (strategy === 'simultaneous') return await ringGroups(call, [targets]);
	const oneByOne = targets.map((target, index) => [index === 0 ? target : { ...target, delay: 0 }]);
	return await ringGroups(call, oneByOne);
};

/** Module `device`: rings one device (§2.3). */
export const device: CallflowModule = async (call, node) => {
	const found = call.account.device(String(node.data.id));
	if (!found) {
		call.note(`device ${String(node.data.id)} does not exist`);
		return 'child';
	}
	const owner = call.account.user({ id: found.ownerId });
	call.note(`device ${found.username} rings`);
	return await ringGroups(call, [[targetOf(call, found, owner, node)]]);
};

/** Rings a number on the outside network, for calls placed by employees. */
export async function outside(call: Call, isEmergency: boolean): Promise<Next> {
	const number = call.order.reaches ?? call.order.to;
	call.isOutside = true;
	const callee = { number, name: number, user: number, realm: 'carrier.sandbox.local' };
	call.note(`outside number ${number} rings`);
	const role = isEmergency ? ({ role: 'emergency' } as const) : {};
	return await ringGroups(call, [[{ callee, delay: 0, timeout: 60, ...role }]]);
}
