import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

import { ROOT } from '../../../tools/docs/registered';

const FOLDER = path.join(ROOT, 'nodes/VirtualPbx');

function sourceFiles(folder: string): string[] {
	return readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => path.join(folder, file));
}

/** Calls of `getNodeParameter` without a fallback: n8n leaves defaults out of saved workflows. */
function callsWithoutFallback(file: string): string[] {
	const source = ts.createSourceFile(
		file,
		readFileSync(file, 'utf8'),
		ts.ScriptTarget.ES2022,
		true,
	);
	const found: string[] = [];
	const visit = (node: ts.Node): void => {
		if (
			ts.isCallExpression(node) &&
			ts.isPropertyAccessExpression(node.expression) &&
			node.expression.name.text === 'getNodeParameter'
		) {
			const isPerItem = /^(index|itemIndex|0|at\.itemIndex)$/.test(
				node.arguments[1]?.getText() ?? '',
			);
			if (node.arguments.length < (isPerItem ? 3 : 2))
				found.push(`${path.relative(ROOT, file)}: ${node.getText()}`);
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

it('reads every parameter with a fallback', () => {
	expect(sourceFiles(FOLDER).flatMap(callsWithoutFallback)).toEqual([]);
});
