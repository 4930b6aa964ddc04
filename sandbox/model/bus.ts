export type Listener = (type: string, data: unknown) => void;

/** Publishes to the page what happens. Costs nothing without listeners. */
export class Bus {
	private readonly listeners = new Set<Listener>();

	/** Adds a listener. Returns the function that removes it. */
	listen(listener: Listener): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	/** Notifies every listener. Calls `make` only if there is one. */
	publish(type: string, make: () => unknown): void {
		if (this.listeners.size === 0) return;
		const data = make();
		for (const listener of this.listeners) listener(type, data);
	}
}
