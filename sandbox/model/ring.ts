/** A bounded log: new entries replace the oldest. */
export class Ring<T> {
	private items: T[] = [];
	private next = 0;

	/** @param capacity how many entries to keep */
	constructor(private readonly capacity: number) {}

	/** Adds an entry in constant time. */
	push(item: T): void {
		if (this.items.length < this.capacity) this.items.push(item);
		else {
			this.items[this.next] = item;
			this.next = (this.next + 1) % this.capacity;
		}
	}

	/** Returns the entries, oldest first. */
	toArray(): T[] {
		return [...this.items.slice(this.next), ...this.items.slice(0, this.next)];
	}

	clear(): void {
		this.items = [];
		this.next = 0;
	}
}
