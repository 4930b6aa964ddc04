import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { INode } from 'n8n-workflow';
import { ROOT } from '../../../tools/n8n';
import { listExamples, readExampleFile } from '../../support/exampleTexts';
import type { Example } from '../../support/exampleTexts';
import { unless } from '../../support/unless';

/** n8n's own check of a workflow for the next major version. */
interface Rule {
	detectWorkflow?(
		workflow: Example,
		nodes: Map<string, INode[]>,
	): Promise<{ isAffected: boolean; issues: Array<{ title: string }> }>;
}

const FOLDER = path.join(ROOT, '.n8n/node_modules/n8n/dist/modules/breaking-changes/rules/v3');
const load = createRequire(path.join(FOLDER, 'index.js'));
const isInstalled = existsSync(FOLDER);
// What n8n's modules expect of its start.
if (isInstalled) load('reflect-metadata');

/** Node types of which only the outputs count: those with several. */
const nodeTypes = {
	getByNameAndVersion: (type: string) => ({
		description: {
			outputs: /\.(if|switch|splitInBatches)$/.test(type) ? ['main', 'main'] : ['main'],
		},
	}),
};

const rules = (isInstalled ? readdirSync(FOLDER) : [])
	.filter((name) => name.endsWith('.rule.js'))
	.flatMap((name) => Object.values(load(path.join(FOLDER, name)) as Record<string, unknown>))
	.filter((one) => typeof one === 'function')
	.map((Made) => new (Made as new (types: object) => Rule)(nodeTypes))
	.filter(({ detectWorkflow }) => detectWorkflow !== undefined);

async function reportOf(example: Example): Promise<string[]> {
	const grouped = new Map<string, INode[]>();
	for (const node of example.nodes)
		grouped.set(node.type, [...(grouped.get(node.type) ?? []), node]);
	const reports = await Promise.all(
		rules.map(async (rule) => await rule.detectWorkflow?.(example, grouped)),
	);
	return reports.flatMap((report) =>
		report?.isAffected ? report.issues.map(({ title }) => title) : [],
	);
}

const describeInstalled = unless(
	isInstalled ? undefined : "n8n's rules: n8n isn't installed yet, which `npm run setup` does",
	describe,
);

describeInstalled('the next major version of n8n', () => {
	it.each(listExamples())('has nothing to report about %s', async (file) => {
		expect(await reportOf(readExampleFile(file))).toEqual([]);
	});

	it("reports what n8n's rules name, such as one execution per item", async () => {
		const parameters = { mode: 'each' };
		const type = 'n8n-nodes-base.executeWorkflow';
		const node: INode = {
			...{ id: '1', name: 'A', type },
			parameters,
			typeVersion: 1,
			position: [0, 0],
		};
		expect(await reportOf({ name: 'A', nodes: [node], connections: {} })).toHaveLength(1);
	});
});
