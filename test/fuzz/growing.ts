/** A process with little memory, in which bodies grow: asked for a place and a kind, it answers with the fault or null. */
import { doors } from './doors';

process.on('message', ({ name, kind }: { name: string; kind: string }) => {
	const found = doors.find((door) => door.name === name);
	if (!found) throw new Error(`There is no place ${name}`);
	process.send?.({ fault: found.fault(kind) ?? null });
});
