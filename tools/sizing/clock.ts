import FlatQueue from 'flatqueue';

/** The clock of a simulation: what is to happen happens in the order of its times, at once. */
export class Clock {
	/** Seconds since the start. */
	now = 0;
	private readonly agenda = new FlatQueue<() => void>();

	/** Lets something happen so many seconds from now. */
	after(seconds: number, what: () => void): void {
		this.agenda.push(what, this.now + seconds);
	}

	/** Lets everything happen until nothing is left. */
	run(): void {
		for (;;) {
			const at = this.agenda.peekValue();
			if (at === undefined) return;
			this.now = at;
			this.agenda.pop()?.();
		}
	}
}
