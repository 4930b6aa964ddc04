import path from 'node:path';
import sharp from 'sharp';

import { importKit } from '../../../test/support/e2e/kits';
import { ROOT } from '../../n8n';
import type { Bench } from './bench';
import { hideControls, nodesArea } from './workflows';

const FOLDER = path.join(ROOT, 'docs/pictures');

/** The CRMs that one workflow serves. */
const CRMS = ['amocrm', 'bitrix24', 'hubspot', 'pipedrive', 'zendesk', 'google-sheets'];

/** Takes the canvas of each CRM's workflow, to be read at 830 pixels. */
export async function shootKits(bench: Bench): Promise<void> {
	const { editor, n8n, credential } = bench;
	await editor.page.setViewportSize({ width: 3200, height: 1700 });
	for (const crm of CRMS) {
		const file = `crm/${crm}.json`;
		const { id } = await importKit(n8n, file, { credentials: [credential], settings: {} });
		await editor.openWorkflow(id);
		// n8n's shortcut for 100 %.
		await editor.page.keyboard.press('0');
		await hideControls(bench);
		const clip = await nodesArea(bench);
		const picture = await editor.page.screenshot({ animations: 'disabled', clip });
		const name = `crm-${crm}.webp`;
		await sharp(picture)
			.resize({ width: 1660 })
			.webp({ quality: 70 })
			.toFile(path.join(FOLDER, name));
		console.log(`▸ docs/pictures/${name}`);
	}
}
