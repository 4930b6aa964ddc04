import { inARow, makeNode, openEditor } from '../support/e2e/editor';
import type { EditorBench } from '../support/e2e/editor';
import { FORMS } from '../support/e2e/expressionForms';
import { fieldKinds } from '../support/e2e/fieldKinds';

describe("expressions typed in n8n's editor", () => {
	let bench: EditorBench;

	beforeAll(async () => (bench = await openEditor()));
	afterAll(async () => await bench.close());

	it('are tried in every kind of field that takes one', async () => {
		const tried = FORMS.flatMap(({ type, typed }) => typed.map(([place]) => `${type}.${place}`));
		const kinds = [...(await fieldKinds())];
		const missing = kinds.filter(([, places]) => !places.some((place) => tried.includes(place)));

		expect(missing).toEqual([]);
	});

	it.each(FORMS)('reach the PBX: $title', async ({ type, parameters, typed, run, expected }) => {
		const { editor } = bench;
		const nodes = [
			makeNode('Start', 'n8n-nodes-base.manualTrigger'),
			makeNode('PBX', type, parameters, { position: [240, 0] }),
		];
		const isTrigger = type.endsWith('Trigger');
		const workflow = isTrigger
			? await bench.store(nodes.slice(1))
			: await bench.store(nodes, inARow('Start', 'PBX'));
		await editor.openWorkflow(workflow.id);
		await editor.openNode('PBX');
		for (const [place, expression, shown] of typed)
			await editor.setExpression(place.split('.').at(-1) ?? place, expression, shown);

		expect(await run(bench)).toMatchObject(expected as object);
	});
});
