// `npm run pictures`: retakes the pictures of the docs from n8n and the sandbox; `-- hero board` only
// some of them. Review them afterward.
import path from 'node:path';

import { runAsCommand, SetupError } from '../../setup/failure.mjs';
import { withBench } from './bench';
import type { Bench } from './bench';
import { DAYTIME } from './company';
import { shootCredential, shootForms, shootPanel } from './editor';
import { shootHero } from './hero';
import { shootBoard, shootSandbox } from './pages';
import { shootEmails, shootMissed, shootRehearsal } from './reports';
import { shootCanvases, shootCrms } from './workflows';

const PICTURES: Record<string, (bench: Bench) => Promise<void>> = {
	credential: shootCredential,
	panel: shootPanel,
	forms: shootForms,
	canvases: shootCanvases,
	crm: shootCrms,
	missed: shootMissed,
	emails: shootEmails,
	rehearsal: shootRehearsal,
	hero: shootHero,
	board: shootBoard,
	sandbox: shootSandbox,
};

// n8n, the browser, and this process share it.
process.env.TZ = DAYTIME;
// The packed Chromium brings one font, without arrows.
process.env.FONTCONFIG_FILE ??= path.join(__dirname, 'fonts.conf');

void runAsCommand(async () => {
	const chosen = process.argv.slice(2);
	const wrong = chosen.find((name) => !(name in PICTURES));
	const names = Object.keys(PICTURES);
	if (wrong !== undefined)
		throw new SetupError(`There is no picture “${wrong}”. Pictures: ${names.join(', ')}`);
	const failed: string[] = [];
	await withBench(async (bench) => {
		for (const name of names) {
			if (chosen.length > 0 && !chosen.includes(name)) continue;
			try {
				await PICTURES[name]?.(bench);
			} catch (error) {
				failed.push(`${name}: ${String(error)}`);
			}
		}
	});
	if (failed.length > 0) throw new SetupError(`These pictures failed:\n${failed.join('\n')}`);
});
