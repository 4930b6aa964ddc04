// `npm run pictures`: retakes the pictures of the docs from n8n and the sandbox. Look at them
// afterwards.
import { runAsCommand } from '../../setup/failure.mjs';
import { withBench } from './bench';
import { shootBoard } from './board';
import { shootCredential, shootForms, shootPanel } from './editor';
import { shootReports } from './reports';
import { shootCanvases, shootKits, shootSandbox } from './workflows';

void runAsCommand(
	async () =>
		await withBench(async (bench) => {
			await shootCredential(bench);
			await shootPanel(bench);
			await shootForms(bench);
			await shootCanvases(bench);
			await shootKits(bench);
			await shootReports(bench);
			await shootBoard(bench);
			await shootSandbox(bench);
		}),
);
