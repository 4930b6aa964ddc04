import { askWebService } from '../../routing/ask';
import type { FlowNode } from '../../model/types';
import type { Call } from '../call';
import type { CallflowModule } from './module';

/** Chains nodes so that each is the child of the one before (§2.3 rule 1: in the order of the array). */
function chain(nodes: FlowNode[]): FlowNode | undefined {
	return nodes.reduceRight<FlowNode | undefined>(
		(rest, node) => ({ ...node, children: rest ? { _: rest } : {} }),
		undefined,
	);
}

const hasChild = (node: FlowNode): boolean => Object.keys(node.children).length > 0;

/** Module `pivot`: asks the web service and goes where it says, else to the node's child (§2.2, §2.3). */
export const pivot: CallflowModule = async (call: Call, node, pbx) => {
	const { entry, nodes } = await call.timeline.during(askWebService(pbx, call, node));
	const flow = chain(nodes);
	entry.outcome = flow ? 'executed' : hasChild(node) ? 'child' : 'ended';
	pbx.routing.push(entry);
	pbx.bus.publish('routing', () => entry);
	call.note(`web service asked: ${entry.outcome}`);
	if (flow) return { goto: flow };
	call.lastCause = 'NORMAL_TEMPORARY_FAILURE';
	return 'child';
};
