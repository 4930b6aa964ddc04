/** A child process with little memory. Receives an entry point and a kind of body, and sends back the fault or null. */
import { entryPoints } from './entryPoints';

process.on('message', ({ name, kind }: { name: string; kind: string }) => {
	const found = entryPoints.find((entryPoint) => entryPoint.name === name);
	if (!found) throw new Error(`There is no entry point ${name}`);
	process.send?.({ fault: found.fault(kind) ?? null });
});
