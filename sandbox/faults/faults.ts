import { newId } from '../model/util';
import type { Fault, FaultOrder } from './schema';

/** Turns a path with `*` wildcards into a regular expression. */
function pathExpression(path: string): RegExp {
	const parts = path.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^(/v1/[^/]+|/v2)?${parts.join('.*')}$`);
}

/** The target of a fault: a request to the PBX, or an event to deliver. */
type Target =
	| { side: 'request'; method: string; path: string }
	| { side: 'delivery'; event: string; leg: string };

function matches(fault: Fault, target: Target): boolean {
	if (fault.kind.startsWith('delivery-') !== (target.side === 'delivery')) return false;
	if (target.side === 'delivery') {
		const { event = target.event, leg = target.leg } = fault;
		return event.toUpperCase() === target.event && leg === target.leg;
	}
	const { method = target.method, path = '*' } = fault;
	return method.toUpperCase() === target.method && pathExpression(path).test(target.path);
}

/** Whether a matching fault applies this time. */
function isDue(fault: Fault): boolean {
	if (fault.times !== undefined && fault.hits >= fault.times) return false;
	fault.seen++;
	if (fault.seen <= (fault.skip ?? 0)) return false;
	fault.hits++;
	return true;
}

export class Faults {
	private readonly faults = new Map<string, Fault>();

	/** Whether no fault is active, the common case. */
	get none(): boolean {
		return this.faults.size === 0;
	}

	add(order: FaultOrder): Fault {
		const fault = { ...order, id: newId(), hits: 0, seen: 0 };
		this.faults.set(fault.id, fault);
		return fault;
	}

	/** Returns every fault, including used-up ones, so that their hits can be read. */
	list(): Fault[] {
		return [...this.faults.values()];
	}

	remove(id: string): boolean {
		return this.faults.delete(id);
	}

	clear(): void {
		this.faults.clear();
	}

	/** Returns the faults that affect a target now, and counts them. */
	apply(target: Target): Fault[] {
		return this.list().filter((fault) => matches(fault, target) && isDue(fault));
	}
}
