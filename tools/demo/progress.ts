/** Shows a step and how long it took; on a terminal the seconds count while it runs. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
	const start = Date.now();
	const seconds = () => `${((Date.now() - start) / 1000).toFixed(1)} s`;
	const isTerminal = process.stdout.isTTY;
	if (!isTerminal) console.log(`▸ ${title} …`);
	const tick = () => void process.stdout.write(`\r▸ ${title} … ${seconds()}`);
	const timer = isTerminal ? setInterval(tick, 200) : undefined;
	try {
		const result = await work();
		console.log(
			`${isTerminal ? '\r\u001b[2K' : ''}✔ ${title.replace(/ \(.*\)$/, '')}: ${seconds()}`,
		);
		return result;
	} catch (error) {
		if (isTerminal) console.log();
		throw error;
	} finally {
		clearInterval(timer);
	}
}
