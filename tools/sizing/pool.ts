import type { Clock } from './clock';

interface Waiting {
	since: number;
	go: (member: number) => void;
	refuse: (() => void) | undefined;
}

/**
 * Members with some places each, and a line before them: webhook processes behind the front door, workers at Redis, or
 * one processor core. Whoever comes goes to the next member in turn that has a place, or waits, first come first served.
 */
export class Pool {
	private readonly free: number[];
	private allFree: number;
	private turn = 0;
	private line: Waiting[] = [];
	private head = 0;

	/**
	 * @param places of each member
	 * @param patience how many seconds one waits before it is refused; without end by default
	 */
	constructor(
		private readonly clock: Clock,
		private readonly members: number,
		places: number,
		private readonly patience = Infinity,
	) {
		this.free = Array.from({ length: members }, () => places);
		this.allFree = members * places;
	}

	/**
	 * Asks for a place.
	 *
	 * @param go gets the number of the member; whoever got a place has to {@link leave}
	 * @param refuse is called instead where patience ended
	 */
	enter(go: (member: number) => void, refuse?: () => void): void {
		if (this.allFree > 0) go(this.take());
		else this.line.push({ since: this.clock.now, go, refuse });
	}

	/** Frees a place of a member, which goes to whoever has waited longest. */
	leave(member: number): void {
		const next = this.next();
		if (next) {
			next.go(member);
			return;
		}
		this.free[member] = (this.free[member] ?? 0) + 1;
		this.allFree++;
	}

	private take(): number {
		while (this.free[this.turn] === 0) this.turn = (this.turn + 1) % this.members;
		const member = this.turn;
		this.free[member] = (this.free[member] ?? 0) - 1;
		this.allFree--;
		this.turn = (member + 1) % this.members;
		return member;
	}

	private next(): Waiting | undefined {
		for (;;) {
			const first = this.line[this.head];
			if (!first) {
				this.line = [];
				this.head = 0;
				return undefined;
			}
			this.head++;
			if (this.clock.now - first.since <= this.patience) return first;
			first.refuse?.();
		}
	}
}
