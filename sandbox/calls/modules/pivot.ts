import { askWebService } from '../../routing/ask';
import type { FlowNode } from '../../model/types';
import type { Call } from '../call';
import type { CallflowModule } from './module';

const hasChild = (node: FlowNode): boolean => Object.keys(node.children).length > 0;

/** How long a stock Kazoo leaves the caller in silence after a refused connection. */
const SILENCE_SECONDS = 10;

/** Module `pivot`: asks the web service and goes where it says, else to the node's child (§2.2, §2.3). */
export const pivot: CallflowModule = async (call: Call, node, pbx) => {
	const { entry, flow, afterNone } = await call.timeline.during(askWebService(pbx, call, node));
	const hangsUp = !flow && afterNone === 'hangup';
	entry.outcome = flow ? 'executed' : hasChild(node) && !hangsUp ? 'child' : 'ended';
	pbx.routing.push(entry);
	pbx.bus.publish('routing', () => entry);
	call.note(`web service asked: ${entry.outcome}`);
	if (flow) return { goto: flow };
	call.lastCause = 'NORMAL_TEMPORARY_FAILURE';
	if (hangsUp) return 'done';
	if (afterNone === 'silence') await call.pause(SILENCE_SECONDS);
	return 'child';
};
