const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm may pass the terminal's own Ctrl-C on a second time. */
const SAME_PRESS_MS = 500;

/**
 * Listens for Ctrl-C and its like. `asked` is fulfilled at the first one; another one ends the process at once
 * (n8n then ends by itself, see tools/n8n/leash.mjs). `forget` stops listening.
 */
export function untilAskedToEnd(): { asked: Promise<void>; forget: () => void } {
	let forget = () => {};
	const asked = new Promise<void>((resolve) => {
		let first = 0;
		const onSignal = () => {
			if (first > 0 && Date.now() - first > SAME_PRESS_MS) process.exit(130);
			if (first > 0) return;
			first = Date.now();
			console.log('\nStopping n8n and the sandbox …');
			resolve();
		};
		for (const signal of SIGNALS) process.on(signal, onSignal);
		forget = () => SIGNALS.forEach((signal) => process.off(signal, onSignal));
	});
	return { asked, forget };
}
