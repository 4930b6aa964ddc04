const EVERY_MS = 2000;
const HEAP = /^n8n_nodejs_heap_size_used_bytes (\d+)/m;

/**
 * Watches the heap of an n8n that runs with `N8N_METRICS=true`.
 *
 * @param url n8n's own address
 * @returns what ends it, and gives for each of so many equal parts of the time how low the heap fell, in MiB: what it
 *   falls to is what was not garbage
 */
export function watchHeap(url: string): (parts: number) => number[] {
	const samples: number[] = [];
	const sample = async () => {
		const response = await fetch(`${url}/metrics`).catch(() => undefined);
		const heap = HEAP.exec((await response?.text()) ?? '')?.[1];
		if (heap !== undefined) samples.push(Math.round(Number(heap) / 2 ** 20));
	};
	const timer = setInterval(() => void sample(), EVERY_MS);
	return (parts) => {
		clearInterval(timer);
		const size = Math.ceil(samples.length / parts);
		return Array.from({ length: parts }, (_, part) =>
			Math.min(...samples.slice(part * size, (part + 1) * size)),
		);
	};
}
