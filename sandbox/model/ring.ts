/** A log of bounded length: the newest entries push the oldest ones out. */
export class Ring<T> {
	private items: T[] = [];
	private next = 0;

	/** Takes the greatest number of entries to keep. */
	constructor(private readonly capacity: number) {}

	/** Adds an entry in constant time. */
	push(item: T): void {
		if (this.items.length < this.capacity) this.items.push(item);
		else {
			this.items[this.next] = item;
			this.next = (this.next + 1) % this.capacity;
		}
	}

	/** Gives the entries, oldest first. */
	toArray(): T[] {
		return [...this.items.slice(this.next), ...this.items.slice(0, this.next)];
	}

	/** Forgets every entry. */
	clear(): void {
		this.items = [];
		this.next = 0;
	}
}
