/**
 * Shows figures about the code's structure: `npm run house`, or `npm run house -- <path of another checkout>` to compare.
 * `-- --names` lists the items that the rules count.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { markdownTable } from 'markdown-table';
import { weighPackage } from './house/package';
import { readStructure } from './house/structure';
import type { Trace } from './house/trace';

const ROOT = path.join(__dirname, '../..');

const METHOD = `
Files, functions, calls: instrumented sources record when a named function is entered (callbacks belong to the enclosing
function), on n8n's own engine with an in-memory PBX. The event is a trigger's second one. A return is a call that switches
to a file that was entered before.
Own code: CPU time of the trigger's webhook() with n8n's part cached, the best of 9 rounds of 4,000 events, for both.
Names of a node: functions that read its ID or its workflow's ID. Result types: unions of object types with one for
failures. Memories: collections that are created empty at the top of a file.
Load time: the built package, the best of 9 fresh processes, with n8n-workflow already loaded. Packed: npm pack.`;

type Case = 'event' | 'publication' | 'update' | 'poll';
type Cost = { ours: number; json: number; bytes: number };

/** Measures one checkout. */
function measure(home: string) {
	const probe = (what: string): unknown => {
		const args = ['--import', 'tsx', path.join(__dirname, 'house/probe.ts'), home, what];
		return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', cwd: ROOT }));
	};
	const traces = probe('trace') as Record<Case, Trace>;
	return { ...readStructure(home), ...traces, cost: probe('cost') as Cost, ...weighPackage(home) };
}

type House = ReturnType<typeof measure>;

const entered = ({ files, functions, calls, returns }: Trace) =>
	[files, functions, calls, returns].map((count) => count.toLocaleString('en-US')).join(', ');

/** The rows: their label, format, and aim. */
const ROWS: Array<[what: string, aim: string, show: (house: House) => string]> = [
	['lines of nodes and credentials', '≤ 12,000', ({ lines }) => lines.toLocaleString('en-US')],
	['files', '', ({ files }) => String(files)],
	['lines of the longest file', '≤ 250', ({ longest }) => String(longest)],
	['rooms', '7', ({ rooms }) => String(rooms.length)],
	['arrows between rooms', '≤ 15', ({ arrows }) => String(arrows.length)],
	[
		'arrows upward, rooms in circles',
		'0, 0',
		({ upward, circles }) => `${upward.length}, ${circles.length}`,
	],
	[
		'an event: files, functions, calls, returns',
		'≤ 18, ≤ 70, –, ≤ 120',
		({ event }) => entered(event),
	],
	['a publication', '≤ 22 files', ({ publication }) => entered(publication)],
	['a callflow update', '', ({ update }) => entered(update)],
	['a poll of one call', '≤ 24 files', ({ poll }) => entered(poll)],
	[
		'own code per event, of JSON.parse + JSON.stringify',
		'≤ 4',
		({ cost }) =>
			`${(cost.ours / cost.json).toFixed(1)} (${Math.round(cost.ours * 1000)} of ${Math.round(cost.json * 1000)} µs, ${cost.bytes} bytes)`,
	],
	['names of a node', '1', ({ identities }) => String(identities.length)],
	['result types', '1', ({ resultTypes }) => String(resultTypes.length)],
	['memories of the process', '≤ 4', ({ memories }) => String(memories.length)],
	['load time (ms)', '', ({ loadMs }) => loadMs.toFixed(0)],
	['packed (kB)', '', ({ packedKb }) => packedKb.toFixed(0)],
	['lines of test/', '≤ 20,000', ({ testLines }) => testLines.toLocaleString('en-US')],
];

function main(args: string[]): void {
	const other = args.find((arg) => !arg.startsWith('-'));
	const homes = [...(other === undefined ? [] : [path.resolve(other)]), ROOT];
	const houses = homes.map(measure);
	const head = ['', ...(other === undefined ? ['now'] : ['before', 'now']), 'aim'];
	const rows = ROWS.map(([what, aim, show]) => [what, ...houses.map(show), aim]);
	console.log(markdownTable([head, ...rows]));
	console.log(METHOD);
	if (!args.includes('--names')) return;
	for (const [
		at,
		{ rooms, arrows, upward, circles, identities, resultTypes, memories },
	] of houses.entries())
		console.log(homes[at], { rooms, arrows, upward, circles, identities, resultTypes, memories });
}

main(process.argv.slice(2));
