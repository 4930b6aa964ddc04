import { askWebService } from '../../routing/ask';
import type { FlowNode } from '../../model/types';
import type { Call } from '../call';
import type { CallflowModule } from './module';

const hasChild = (node: FlowNode): boolean => Object.keys(node.children).length > 0;

/** How long the caller hears silence on a stock Kazoo after a refused connection. */
const SILENCE_SECONDS = 10;

/** Module `pivot`: follows the web service's routing answer, else continues at the node's child (§2.2, §2.3). */
export const pivot: CallflowModule = async (call: Call, node, pbx) => {
	const { entry, flow, afterNone } = await call.timeline.during(askWebService(pbx, call, node));
	const willHangUp = !flow && afterNone === 'hangup';
	entry.outcome = flow ? 'executed' : hasChild(node) && !willHangUp ? 'child' : 'ended';
	pbx.routing.push(entry);
	pbx.bus.publish('routing', () => entry);
	call.note(`web service asked: ${entry.outcome}`);
	if (flow) return { goto: flow };
	call.lastCause = 'NORMAL_TEMPORARY_FAILURE';
	if (willHangUp) return 'done';
	if (afterNone === 'silence') await call.pause(SILENCE_SECONDS);
	return 'child';
};
