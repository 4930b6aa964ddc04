/** The callflows or webhooks of an account. */
export class Documents<T extends { id: string }> {
	protected readonly byId = new Map<string, T>();
	/** Counts changes: the list's `revision` (§2.1). */
	revision = 0;

	all(): T[] {
		return [...this.byId.values()];
	}

	get(id: string): T | undefined {
		return this.byId.get(id);
	}

	put(document: T): void {
		this.byId.set(document.id, document);
		this.revision++;
	}

	remove(id: string): void {
		this.byId.delete(id);
		this.revision++;
	}
}
