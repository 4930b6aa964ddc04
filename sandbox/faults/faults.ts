import { newId } from '../model/ids';
import type { Fault, FaultKind, FaultOrder } from './schema';

/** Turns a path with `*` wildcards into a regular expression. */
function pathExpression(path: string): RegExp {
	const parts = path.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^(/v1/[^/]+|/v2)?${parts.join('.*')}$`);
}

/** The target of a fault: a request to the PBX, or an event to deliver. */
export type Target =
	| { side: 'request'; method: string; path: string }
	| { side: 'delivery'; event: string; leg: string };

const isDeliveryKind = (kind: FaultKind): boolean => kind.startsWith('delivery-');

/** The active faults. */
export class Faults {
	private readonly faults = new Map<string, Fault>();
	private readonly expressions = new WeakMap<Fault, RegExp>();

	/** Whether no fault is active, the common case. */
	get none(): boolean {
		return this.faults.size === 0;
	}

	/** Switches a fault on. */
	add(order: FaultOrder): Fault {
		const fault = { ...order, id: newId(), hits: 0, seen: 0 };
		this.faults.set(fault.id, fault);
		this.expressions.set(fault, pathExpression(order.path ?? '*'));
		return fault;
	}

	/** Returns every fault, including used-up ones, so that their hits can be read. */
	list(): Fault[] {
		return [...this.faults.values()];
	}

	/** Switches one fault off. Returns whether it existed. */
	remove(id: string): boolean {
		return this.faults.delete(id);
	}

	/** Switches every fault off. */
	clear(): void {
		this.faults.clear();
	}

	/** Returns the faults that affect a target now, and counts them. */
	apply(target: Target): Fault[] {
		if (this.none) return [];
		return [...this.faults.values()].filter((fault) => this.matches(fault, target) && due(fault));
	}

	private matches(fault: Fault, target: Target): boolean {
		if (isDeliveryKind(fault.kind) !== (target.side === 'delivery')) return false;
		if (target.side === 'delivery') {
			const { event = target.event, leg = target.leg } = fault;
			return event.toUpperCase() === target.event && leg === target.leg;
		}
		const { method = target.method } = fault;
		const isMethod = method.toUpperCase() === target.method;
		return isMethod && this.expressions.get(fault)?.test(target.path) === true;
	}
}

/** Whether a matching fault applies this time. */
function due(fault: Fault): boolean {
	if (fault.times !== undefined && fault.hits >= fault.times) return false;
	fault.seen++;
	if (fault.seen <= (fault.skip ?? 0)) return false;
	fault.hits++;
	return true;
}
