import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Rooms from top to bottom. A room imports only from those below it. */
const ORDER = ['actions', 'triggers', 'methods', 'parameters', 'calls', 'pbx', 'util'];
const NODES = 'nodes/VirtualPbx/';

interface Source {
	name: string;
	lines: number;
	tree: ts.SourceFile;
}

/** Counts things in a checkout's sources. Returns lists where a rule decides what counts. */
export function readStructure(home: string) {
	const sources = ['nodes', 'credentials'].flatMap((folder) => sourcesIn(home, folder));
	const lengths = sources.map(({ lines }) => lines);
	const arrows = unique(sources.flatMap(arrowsOf));
	return {
		lines: sum(lengths),
		files: sources.length,
		longest: Math.max(...lengths),
		rooms: unique(sources.flatMap(({ name }) => roomOf(name) ?? [])),
		arrows,
		upward: arrows.filter(isUpward),
		circles: circularRooms(arrows),
		identities: unique(sources.flatMap((source) => collect(source, identityIn))),
		resultTypes: unique(sources.flatMap((source) => collect(source, resultTypeIn))),
		memories: unique(sources.flatMap((source) => collect(source, memoryIn))),
		testLines: sum(sourcesIn(home, 'test').map(({ lines }) => lines)),
	};
}

const sum = (all: number[]) => all.reduce((total, one) => total + one, 0);
const unique = (all: string[]) => [...new Set(all)].sort();

function sourcesIn(home: string, folder: string): Source[] {
	return readdirSync(path.join(home, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => /\.[cm]?[tj]s$/.test(file))
		.map((file) => {
			const name = `${folder}/${file}`;
			const text = readFileSync(path.join(home, name), 'utf8');
			const tree = ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true);
			return { name, lines: text.trimEnd().split('\n').length, tree };
		});
}

/** Returns a file's folder below nodes/VirtualPbx. */
function roomOf(name: string): string | undefined {
	return name.startsWith(NODES) ? /^[^/]+(?=\/)/.exec(name.slice(NODES.length))?.[0] : undefined;
}

function arrowsOf({ name, tree }: Source): string[] {
	const from = roomOf(name);
	return tree.statements.flatMap((statement) => {
		if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
		const target = statement.moduleSpecifier;
		if (!target || !ts.isStringLiteral(target) || !target.text.startsWith('.')) return [];
		const to = roomOf(path.posix.join(path.posix.dirname(name), target.text));
		return from && to && from !== to ? [`${from} → ${to}`] : [];
	});
}

function isUpward(arrow: string): boolean {
	const [from = NaN, to = NaN] = arrow.split(' → ').map((room) => ORDER.indexOf(room));
	return from >= 0 && to >= 0 && to < from;
}

function circularRooms(arrows: readonly string[]): string[] {
	const pairs = arrows.map((arrow) => arrow.split(' → '));
	const reachable = (room: string, seen: Set<string>): Set<string> => {
		for (const [from, to = ''] of pairs)
			if (from === room && !seen.has(to)) reachable(to, seen.add(to));
		return seen;
	};
	return unique(
		pairs.flatMap(([from = '']) => (reachable(from, new Set()).has(from) ? [from] : [])),
	);
}

/** Returns the names that a rule assigns to nodes of a file's syntax tree. */
function collect({ name, tree }: Source, rule: (node: ts.Node) => string | undefined): string[] {
	const room = name.replace(NODES, '').replace(/\.ts$/, '');
	const visit = (node: ts.Node): string[] => {
		const found = rule(node);
		const below: string[] = [];
		ts.forEachChild(node, (child) => void below.push(...visit(child)));
		return found === undefined ? below : [`${room}:${found}`, ...below];
	};
	return visit(tree);
}

/** Finds functions that derive a name from the node's ID or webhook ID, or its workflow's ID. */
function identityIn(node: ts.Node): string | undefined {
	if (!ts.isFunctionDeclaration(node) && !ts.isMethodDeclaration(node)) return undefined;
	const isNaming = /getNode\(\)\.(id|webhookId)\b|getWorkflow\(\)\.id\b/.test(node.getText());
	return isNaming ? node.name?.getText() : undefined;
}

const FAILED = /^(error|failure|refusal|rejection|reason|beginning)s?$/;

/** Finds unions of object types with one for failures. */
function resultTypeIn(node: ts.Node): string | undefined {
	if (!ts.isTypeAliasDeclaration(node) || !ts.isUnionTypeNode(node.type)) return undefined;
	const [objects, others] = [node.type.types.filter(ts.isTypeLiteralNode), node.type.types.length];
	const fields = objects.map(({ members }) => members.map((member) => member.getText()));
	const hasFailed = fields.some((all) =>
		all.some((text) => FAILED.test(/^\w+/.exec(text)?.[0] ?? '')),
	);
	return hasFailed && objects.length === others ? node.name.text : undefined;
}

/** Finds variables at the top of a file that start empty and are filled while the process runs. */
function memoryIn(node: ts.Node): string | undefined {
	if (!ts.isVariableDeclaration(node) || !node.initializer) return undefined;
	if (!ts.isSourceFile(node.parent.parent.parent) || !ts.isNewExpression(node.initializer))
		return undefined;
	const { expression, arguments: given = [] } = node.initializer;
	const isConstant = given.some(
		(one) => !ts.isNumericLiteral(one) && !/^[A-Z\d_]+$/.test(one.getText()),
	);
	const kind = expression.getText();
	const isBuiltIn = /^(Weak)?(Map|Set)$/.test(kind);
	const isFilled = isBuiltIn ? given.length > 0 : isConstant;
	return isFilled || /^(RegExp|Date|URL|Error|Intl.*|Text.*)$/.test(kind)
		? undefined
		: node.name.getText();
}
