import path from 'node:path';
import ts from 'typescript';
import type { Transform } from '../engine/checkout';

/** The part of the package that one run enters. */
export interface Trace {
	files: number;
	functions: number;
	calls: number;
	returns: number;
}

type Enter = (file: string, position: number) => void;

let entered: Array<[file: string, position: number]> = [];
const note: Enter = (file, position) => void entered.push([file, position]);
Object.assign(globalThis, { __enter: note });

/** Instruments each function of a source file to record when it's entered. */
export const tracing =
	(home: string): Transform =>
	(file) =>
	(context) => {
		const name = path.relative(home, file);
		const visit = (node: ts.Node): ts.Node =>
			withNote(ts.visitEachChild(node, visit, context), node.pos, name);
		return (source) => ts.visitEachChild(source, visit, context);
	};

function withNote(node: ts.Node, position: number, name: string): ts.Node {
	const { factory: make } = ts;
	const call = make.createCallExpression(make.createIdentifier('__enter'), undefined, [
		make.createStringLiteral(name),
		make.createNumericLiteral(position),
	]);
	if (isCallback(node)) return node;
	if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
		const body = make.createParenthesizedExpression(make.createComma(call, node.body));
		const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken } = node;
		return make.updateArrowFunction(
			node,
			modifiers,
			typeParameters,
			parameters,
			type,
			equalsGreaterThanToken,
			body,
		);
	}
	// Skips constructors: statements must follow `super()`.
	const { parent } = ts.getOriginalNode(node);
	if (!ts.isBlock(node) || !ts.isFunctionLike(parent) || ts.isConstructorDeclaration(parent))
		return node;
	return make.updateBlock(node, [make.createExpressionStatement(call), ...node.statements]);
}

/** Runs something and counts the functions it enters. A return is a call that switches to a file entered before. */
export async function trace(run: () => Promise<unknown>): Promise<Trace> {
	entered = [];
	await run();
	const files = new Set<string>();
	const functions = new Set<string>();
	let [returns, last] = [0, ''];
	for (const [file, position] of entered) {
		if (file !== last && files.has(file)) returns++;
		files.add((last = file));
		functions.add(`${file}:${position}`);
	}
	return { files: files.size, functions: functions.size, calls: entered.length, returns };
}

/** Whether a function has no name, and so belongs to the enclosing one. */
function isCallback(node: ts.Node): boolean {
	const original = ts.getOriginalNode(node);
	const whole = ts.isBlock(original) ? original.parent : original;
	if (!ts.isArrowFunction(whole) && !ts.isFunctionExpression(whole)) return false;
	const { parent } = whole;
	return ![ts.isVariableDeclaration, ts.isPropertyAssignment, ts.isPropertyDeclaration].some(
		(isNamed) => isNamed(parent),
	);
}
