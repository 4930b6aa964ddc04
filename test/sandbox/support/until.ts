const PATIENCE_MS = 4000;

/** Waits until something holds; fails by the expectation that follows when it never does. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
	const end = performance.now() + PATIENCE_MS;
	while (!(await holds()) && performance.now() < end) {
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}
