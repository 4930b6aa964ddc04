/**
 * One round of the slice `event`, in a process of its own: what the compiler makes of code differs from process to
 * process. Prints the microseconds that our code and `JSON.parse` take per event.
 */
import { readEvent } from '../../nodes/VirtualPbx/events/parse';
import { readEntries } from '../../nodes/VirtualPbx/events/payload';
import { sampleOf } from '../../nodes/VirtualPbx/events/samples';
import {
	findSecrets,
	MARK_NAME,
	matchesSecret,
	newSecret,
} from '../../nodes/VirtualPbx/events/secret';
import { simplify } from '../../nodes/VirtualPbx/events/simplify';
import { median } from './measure';

const [turns = 0] = process.argv.slice(2).map(Number);
/** In one turn. */
const EVENTS = 1500;

const secret = newSecret();
const { name, args } = sampleOf('ended', 63_962_000_000);
const body = JSON.stringify({ name, args: { ...args, custom_data: { [MARK_NAME]: secret } } });
const parsed: unknown = JSON.parse(body);

function takeEvent(): unknown {
	const read = readEntries({ raw: body, parsed, isJson: true });
	if ('refusal' in read) throw new Error(read.refusal.reason);
	const result = readEvent(read.entries[0]);
	if ('refusal' in result) throw new Error(result.refusal.reason);
	if (!matchesSecret(findSecrets(parsed), [secret])) throw new Error('The secret is not found');
	return simplify(result.event, 'ended', []);
}

const rivals = { ours: takeEvent, theirs: () => JSON.parse(body) as unknown };
/** Keeps the compiler from leaving out what nobody uses. */
let last: unknown;

function timeOf(rival: () => unknown): number {
	const began = performance.now();
	for (let event = 0; event < EVENTS; event++) last = rival();
	return ((performance.now() - began) * 1000) / EVENTS;
}

const times: Record<keyof typeof rivals, number[]> = { ours: [], theirs: [] };
for (let turn = -turns; turn < turns; turn++) {
	for (const rival of ['ours', 'theirs'] as const) {
		const time = timeOf(rivals[rival]);
		if (turn >= 0) times[rival].push(time);
	}
}
if (typeof last !== 'object') throw new Error('Nothing was read');
console.log(JSON.stringify({ ours: median(times.ours), theirs: median(times.theirs) }));
