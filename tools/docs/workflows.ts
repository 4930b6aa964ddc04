import path from 'node:path';
import { markdownTable } from 'markdown-table';

import { expressionsOf, listExamples, readExampleFile } from '../../test/support/exampleTexts';
import { withSection } from './sections';

/** The page that shows the CRM workflows, relative to the repository's root. */
export const WORKFLOWS_PAGE = 'docs/guides/crm-workflows.md';

const SERVICES: Record<string, string> = {
	'.': 'For every CRM',
	hubspot: 'HubSpot',
	pipedrive: 'Pipedrive',
	amocrm: 'amoCRM',
	bitrix24: 'Bitrix24',
	zendesk: 'Zendesk',
	'google-sheets': 'Google Sheets',
};

/** Lists the CRM workflows, such as `crm/hubspot/log-call.json`. */
export const crmWorkflows = (): string[] =>
	listExamples().filter((file) => file.startsWith('crm/'));

/** Returns the name of a workflow's picture, without its folder and extension. */
export const pictureOf = (file: string): string =>
	file.replace('crm/', '').replace('.json', '').replace('/', '-');

/** Returns the page with each CRM workflow's picture and size. */
export function workflowsPage(): string {
	const files = crmWorkflows();
	const sections = Object.entries(SERVICES).map(([folder, service]) => {
		const own = files.filter((file) => path.dirname(path.relative('crm', file)) === folder);
		const table = markdownTable([HEAD, ...own.map(rowOf)]);
		return [`## ${service}`, table, ...own.map(figureOf)].join('\n\n');
	});
	return withSection(WORKFLOWS_PAGE, 'workflows', sections.join('\n\n'));
}

const HEAD = ['Workflow', 'Nodes', 'Longest expression', 'Longest code', 'Credentials'];

function rowOf(file: string): string[] {
	const { nodes } = readExampleFile(file);
	const onCanvas = nodes.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote');
	const lengths = nodes
		.flatMap(({ parameters }) => expressionsOf(parameters))
		.map((one) => one.length);
	const lines = nodes.map(({ parameters: { jsCode } }) =>
		typeof jsCode === 'string' ? jsCode.split('\n').length : 0,
	);
	const types = new Set(nodes.flatMap(({ credentials = {} }) => Object.keys(credentials)));
	return [
		`[${pathOf(file)}](../../examples/${file})`,
		...[onCanvas.length, Math.max(0, ...lengths), Math.max(...lines), types.size].map(String),
	];
}

const pathOf = (file: string) => path.relative('crm', file);

const figureOf = (file: string) =>
	`### ${pathOf(file)}\n\n![${readExampleFile(file).name}](../pictures/crm/${pictureOf(file)}.webp)`;
