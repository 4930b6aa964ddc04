import { readEvent } from '../../../nodes/VirtualPbx/pbx/events/callEvent';
import {
	readDelivery,
	findTags,
	TAG_NAME,
	withoutTag,
} from '../../../nodes/VirtualPbx/pbx/events/delivery';
import { sampleOf } from '../../../nodes/VirtualPbx/pbx/events/table';
import { dedupeKeysOf } from '../../../nodes/VirtualPbx/triggers/callEvent/deduplication';
import { selectEvent } from '../../../nodes/VirtualPbx/triggers/callEvent/select';
import { eventCall, itemOf } from '../../support/events/arbitraries';
import { formTexts, jsonTexts, jsonValues } from '../bodies';
import { entryPoint } from '../growth';

const { name, args } = sampleOf('ended', 63_962_000_000);
const SAMPLE = { name, args, [TAG_NAME]: 'ab'.repeat(32) };
const SELECTION = {
	events: ['ended'],
	legs: 'oncePerCall',
	filters: { countVoicemail: true },
} as const;

const FIELDS = [...Object.keys(args), 'custom_data'];
const allLong = (bytes: number) => {
	const text = '1a<;"'.repeat(bytes / 5 / FIELDS.length);
	return JSON.stringify({
		name,
		args: { ...args, ...Object.fromEntries(FIELDS.map((field) => [field, text])) },
	});
};
const ALL = { ...jsonTexts(SAMPLE), ...formTexts, 'all fields long': allLong };

const take = (text: string, parsed: unknown, isJson: boolean) => {
	const delivery = readDelivery({ text, parsed, isJson });
	if ('rejection' in delivery) return [];
	return [{ tags: findTags(delivery.entry), entry: delivery.entry }];
};

/** Runs everything that reads an event. */
const readAll = (entry: unknown) => {
	const read = readEvent(entry);
	if ('rejection' in read) return read;
	const { event } = read;
	return [
		selectEvent(eventCall(event), SELECTION),
		itemOf(event, 'ended', { isFirst: true, pair: event, customKeys: ['office'] }),
		dedupeKeysOf('https://n8n.example', { event, role: 'open', value: 'ended' }, true),
		withoutTag(event.source),
	];
};

/** Reads deliveries of call events (§6). */
export const eventEntryPoints = [
	entryPoint('deliveries, parsed by n8n', jsonValues(SAMPLE), (body) => take('', body, true)),
	entryPoint('events', ALL, (raw) =>
		take(raw, undefined, false).map(({ entry }) => readAll(entry)),
	),
];
