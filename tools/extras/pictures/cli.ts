// `npm run pictures`: retakes the pictures of the docs from n8n and the sandbox; `-- hero board` only
// some of them. Review them afterward.
import { runAsCommand, SetupError } from '../../setup/failure.mjs';
import { withBench } from './bench';
import type { Bench } from './bench';
import { shootBoard } from './board';
import { shootCredential, shootForms, shootPanel } from './editor';
import { shootHero } from './hero';
import { shootKits } from './kits';
import { shootRehearsal, shootReports, shootWeek } from './reports';
import { shootCanvases, shootSandbox } from './workflows';

const PICTURES: Record<string, (bench: Bench) => Promise<void>> = {
	credential: shootCredential,
	panel: shootPanel,
	forms: shootForms,
	canvases: shootCanvases,
	kits: shootKits,
	reports: shootReports,
	rehearsal: shootRehearsal,
	week: shootWeek,
	hero: shootHero,
	board: shootBoard,
	sandbox: shootSandbox,
};

void runAsCommand(async () => {
	const chosen = process.argv.slice(2);
	const wrong = chosen.find((name) => !(name in PICTURES));
	const names = Object.keys(PICTURES);
	if (wrong !== undefined)
		throw new SetupError(`There is no picture “${wrong}”. Pictures: ${names.join(', ')}`);
	await withBench(async (bench) => {
		for (const name of names)
			if (chosen.length === 0 || chosen.includes(name)) await PICTURES[name]?.(bench);
	});
});
