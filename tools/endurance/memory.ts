/** The memory of n8n over a stretch of time, in MiB. */
export interface MemoryWindow {
	/** Minutes since the start. */
	until: number;
	/** The lowest that the heap fell to, which is what was not garbage. */
	heapFloor: number;
	/** The median of the memory that the process holds. */
	resident: number;
}

const EVERY_MS = 2000;
const METRICS = {
	heap: 'n8n_nodejs_heap_size_used_bytes',
	resident: 'n8n_process_resident_memory_bytes',
};

/** Watches an n8n that runs with `N8N_METRICS=true`. */
export class MemoryWatch {
	readonly windows: MemoryWindow[] = [];
	private readonly began = Date.now();
	private samples: Array<{ heap: number; resident: number }> = [];
	private readonly timers: NodeJS.Timeout[];

	/**
	 * @param url n8n's own address
	 * @param windowMs the length of a stretch
	 */
	constructor(
		private readonly url: string,
		windowMs: number,
	) {
		this.timers = [
			setInterval(() => void this.sample(), EVERY_MS),
			setInterval(() => this.closeWindow(), windowMs),
		];
	}

	stop(): void {
		for (const timer of this.timers) clearInterval(timer);
	}

	private async sample(): Promise<void> {
		const response = await fetch(`${this.url}/metrics`).catch(() => undefined);
		if (!response?.ok) return;
		const text = await response.text();
		this.samples.push({ heap: read(text, METRICS.heap), resident: read(text, METRICS.resident) });
	}

	private closeWindow(): void {
		const samples = this.samples.splice(0);
		if (samples.length === 0) return;
		const resident = samples.map((one) => one.resident).sort((one, other) => one - other);
		this.windows.push({
			until: Math.round((Date.now() - this.began) / 6000) / 10,
			heapFloor: Math.min(...samples.map(({ heap }) => heap)),
			resident: resident[Math.floor(resident.length / 2)] ?? 0,
		});
	}
}

function read(text: string, metric: string): number {
	const line = text.split('\n').find((one) => one.startsWith(`${metric} `));
	return Math.round((Number(line?.split(' ')[1]) / 2 ** 20) * 10) / 10;
}
