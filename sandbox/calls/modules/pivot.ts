import { askWebService } from '../../routing/ask';
import type { FlowNode } from '../../model/types';
import type { Call } from '../call';
import type { CallflowModule } from './module';

const hasChild = (node: FlowNode): boolean => Object.keys(node.children).length > 0;

/** How long a stock Kazoo waits after a refused connection or a late answer. */
const PAUSE_SECONDS = 10;
/** When a caller in silence hangs up. */
const PATIENCE_SECONDS = 20;

/** Module `pivot`: follows the web service's routing answer, else continues at the node's child (§2.2, §2.3). */
export const pivot: CallflowModule = async (call: Call, node, pbx) => {
	const { entry, flow, afterNone } = await call.timeline.during(askWebService(pbx, call, node));
	const isOver = !flow && (afterNone === 'hangup' || afterNone === 'silence');
	entry.outcome = flow ? 'executed' : hasChild(node) && !isOver ? 'child' : 'ended';
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
