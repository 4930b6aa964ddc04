export type Listener = (type: string, data: unknown) => void;

/** Tells listeners (the page) what happens, and costs nothing while nobody listens. */
export class Bus {
	private readonly listeners = new Set<Listener>();

	/** Adds a listener; gives the function that removes it. */
	listen(listener: Listener): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	/** Tells every listener; `make` is called only when there is one. */
	publish(type: string, make: () => unknown): void {
		if (this.listeners.size === 0) return;
		const data = make();
		for (const listener of this.listeners) listener(type, data);
	}
}
