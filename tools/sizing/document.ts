import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readStored } from '../bench/results';
import { stampWords } from '../endurance/page';
import { putParts } from '../marks';
import { ROOT } from '../n8n';
import { drawBurst, drawNeeds, drawSettings } from './charts';
import { choicePart } from './choice';
import type { Measured } from './measured';
import { checkPart, needsPart } from './pages';
import { settingsTables } from './settingsTable';
import { readChecks, readNeeds } from './stored';

/** The pages that the figures stand in. */
export const PAGES = ['docs/sizing.md', 'docs/queue-mode.md'].map((page) => path.join(ROOT, page));

/** Puts the stored results into a page, between its marks. */
export function intoPage(page: string): string {
	const settings = readStored<{ rows: Measured[]; rounds: number }>('sizing', 'settings');
	const needs = readNeeds();
	return putParts(page, {
		...(settings && { settings: `${settingsTables(settings.rows)}\n\n_${stampWords(settings)}._` }),
		sizing: choicePart(needs),
		needs: needsPart(needs),
		check: checkPart(readChecks()),
	});
}

/** Draws the charts of the stored results, by their names. */
export function drawCharts(): Record<string, string> {
	const settings = readStored<{ rows: Measured[] }>('sizing', 'settings');
	return {
		...(settings && { settings: drawSettings(settings.rows) }),
		needs: drawNeeds(readNeeds()),
		'burst-vm': drawBurst(readChecks(['vm'])),
		'burst-legacy': drawBurst(readChecks(['legacy'])),
	};
}

/** The file of a chart. */
export const chartFile = (name: string): string => path.join(ROOT, 'docs/sizing', `${name}.svg`);

/** Writes the pages and the charts from the stored results. */
export function writePages(): void {
	for (const [name, chart] of Object.entries(drawCharts())) writeFileSync(chartFile(name), chart);
	for (const page of PAGES) {
		writeFileSync(page, intoPage(readFileSync(page, 'utf8')));
		console.log(`Wrote ${page}`);
	}
}
