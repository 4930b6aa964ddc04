import { isDeepStrictEqual } from 'node:util';
import type { IDataObject } from 'n8n-workflow';
import { readEntries } from '../../../nodes/VirtualPbx/events/body';
import { readEvent } from '../../../nodes/VirtualPbx/events/parse';
import { sampleOf } from '../../../nodes/VirtualPbx/events/samples';
import {
	findSecrets,
	MARK_NAME,
	matchesSecret,
	newSecret,
} from '../../../nodes/VirtualPbx/events/secret';
import { simplify } from '../../../nodes/VirtualPbx/events/simplify';
import { simplifyCdr } from '../../../nodes/VirtualPbx/records/cdr';
import { readPlainly } from './plain-event';
import { convertPlainly } from './plain-record';

/** What is timed, by name. */
type Paths = Record<string, () => void>;

/**
 * Makes the steps that every event takes, and every call record, with their rivals.
 *
 * @param record a call record as the PBX gives it
 * @throws when a rival gives something else than ours
 */
export function makePaths(record: IDataObject): { event: Paths; record: Paths; whole: () => void } {
	const secret = newSecret();
	const { name, args } = sampleOf('ended', 63_962_000_000);
	const body = JSON.stringify({ name, args: { ...args, custom_data: { [MARK_NAME]: secret } } });
	const parsed: unknown = JSON.parse(body);
	const parse = () => {
		const read = readEntries({ raw: body, parsed, isJson: true });
		if ('refusal' in read) throw new Error(read.refusal.reason);
		const result = readEvent(read.entries[0]);
		if ('refusal' in result) throw new Error(result.refusal.reason);
		return result.event;
	};
	const verify = () => {
		if (!matchesSecret(findSecrets(parsed), [secret])) throw new Error('The secret is not found');
	};
	const known = parse();
	const whole = () => {
		const event = parse();
		verify();
		return simplify(event, 'ended', []);
	};
	const expected = Buffer.from(secret);
	const plain = () => readPlainly(parsed, expected);
	const simple = () => simplifyCdr(record);
	const plainRecord = () => convertPlainly(record);
	for (const [ours, theirs] of [
		[whole(), plain()],
		[simple(), plainRecord()],
	])
		if (!isDeepStrictEqual(ours, theirs)) throw new Error('The plain code gives something else');
	const line = JSON.stringify(record);
	return {
		whole,
		event: {
			'JSON.parse of the event': () => void JSON.parse(body),
			parse: () => void parse(),
			verify,
			simplify: () => void simplify(known, 'ended', []),
			'parse, verify and simplify': () => void whole(),
			'plain code': () => void plain(),
		},
		record: {
			'JSON.parse of the record': () => void JSON.parse(line),
			convert: () => void simple(),
			'plain conversion': () => void plainRecord(),
		},
	};
}
