import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';

import { importKit } from '../../../test/support/e2e/kits';
import { crmWorkflows, pictureOf } from '../../docs/workflows';
import { ROOT } from '../../n8n';
import type { Bench } from './bench';
import { hideControls, nodesArea } from './workflows';

const FOLDER = path.join(ROOT, 'docs/pictures/crm');

/** Takes the canvas of each CRM workflow at its natural size. */
export async function shootKits(bench: Bench): Promise<void> {
	const { editor, n8n, credential } = bench;
	await mkdir(FOLDER, { recursive: true });
	await editor.page.setViewportSize({ width: 3200, height: 1700 });
	for (const file of crmWorkflows()) {
		const { id } = await importKit(n8n, file, { credentials: [credential], settings: {} });
		await editor.openWorkflow(id);
		// n8n's shortcut for 100 %.
		await editor.page.keyboard.press('0');
		await hideControls(bench);
		const clip = await nodesArea(bench);
		const picture = await editor.page.screenshot({ animations: 'disabled', clip });
		const name = `${pictureOf(file)}.webp`;
		await sharp(picture).webp({ quality: 70 }).toFile(path.join(FOLDER, name));
		console.log(`▸ docs/pictures/crm/${name}`);
	}
}
