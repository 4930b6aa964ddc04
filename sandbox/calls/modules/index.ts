import type { FlowNode } from '../../model/types';
import { voicemail, play } from './media';
import type { CallflowModule } from './module';
import { pivot } from './pivot';
import { device, user } from './ringing';

/** Module `callflow`: continues in another callflow (§2.3). */
const callflow: CallflowModule = async (call, node) => {
	const target = call.account.callflows.get(String(node.data.id));
	if (!target) {
		call.note(`callflow ${String(node.data.id)} does not exist`);
		return 'child';
	}
	call.note(`goes to callflow ${target.name}`);
	call.callflowId = target.id;
	return { goto: target.flow };
};

/** Module `hangup` of a Kazoo. */
const hangup: CallflowModule = async (call) => {
	call.note('the callflow hangs up');
	call.hangUp();
	return 'done';
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

/** Finds a node's module. An unknown module continues at the node's child. */
export const moduleOf = (node: FlowNode): CallflowModule =>
	(Object.hasOwn(MODULES, node.module) ? MODULES[node.module] : undefined) ??
	(async (call) => {
		call.note(`module ${node.module} is not known here`);
		return 'child';
	});
