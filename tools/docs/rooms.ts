import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { withSection } from './sections';
import { ROOT } from './registered';

/** The page with the diagram of the rooms, relative to the repository's root. */
export const ROOMS_PAGE = 'docs/internals/architecture.md';

const HOME = path.join(ROOT, 'nodes/VirtualPbx');
const CREDENTIALS = path.join(ROOT, 'credentials');

/** Returns the page with a diagram of the rooms (folders of nodes/VirtualPbx) and the imports between them. */
export function roomsPage(): string {
	const rooms = readRooms();
	const names = downwards(rooms);
	const arrows = names
		.map((name) => [name, names.filter((target) => rooms.get(name)?.has(target))] as const)
		.filter(([, targets]) => targets.length > 0)
		.map(([name, targets]) => `  ${name} --> ${targets.join(' & ')}`);
	const boxes = names.map((name) => `  ${name}["${LABELS[name] ?? `${name}/`}"]`);
	return withSection(
		ROOMS_PAGE,
		'rooms',
		['```mermaid', 'flowchart TD', ...boxes, ...arrows, '```'].join('\n'),
	);
}

/** Labels of files that aren't in a room. */
const LABELS: Record<string, string> = { nodes: '*.node.ts', credentials: 'credentials/' };

function roomOf(file: string): string {
	const [room = '', ...rest] = path.relative(HOME, file).split(path.sep);
	if (room === '..') return 'credentials';
	return rest.length === 0 ? 'nodes' : room;
}

function readRooms(): Map<string, Set<string>> {
	const rooms = new Map<string, Set<string>>();
	for (const file of [...sourcesIn(HOME), ...sourcesIn(CREDENTIALS)]) {
		const room = roomOf(file);
		const targets = rooms.get(room) ?? new Set();
		for (const target of importsOf(file).map(roomOf)) if (target !== room) targets.add(target);
		rooms.set(room, targets);
	}
	return rooms;
}

const sourcesIn = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.map((name) => path.join(folder, name));

/** Reads static imports, which Prettier writes in one form. */
const importsOf = (file: string): string[] =>
	[...readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)';/g)].map(([, target = '']) =>
		path.resolve(path.dirname(file), target),
	);

/** Orders rooms so that imports point down. Throws on circular imports. */
function downwards(rooms: Map<string, Set<string>>): string[] {
	const order: string[] = [];
	const left = new Set([...rooms.keys()].sort());
	while (left.size > 0) {
		const top = [...left].find((name) => ![...left].some((other) => rooms.get(other)?.has(name)));
		if (top === undefined) throw new Error(`Rooms have circular imports: ${[...left].join(', ')}`);
		order.push(top);
		left.delete(top);
	}
	return order;
}
