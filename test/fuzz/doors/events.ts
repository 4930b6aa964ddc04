import { entryOf, readDelivery } from '../../../nodes/VirtualPbx/events/delivery';
import { findMarks } from '../../../nodes/VirtualPbx/events/secret';
import { sampleOf } from '../../../nodes/VirtualPbx/events/samples';
import { formTexts, jsonTexts, longTexts } from '../bodies';
import { door } from '../growth';

const SAMPLE = sampleOf('ended', 63_962_000_000);

/** What deliveries of call events meet (§6). */
export const eventDoors = [
	door('deliveries before they are known', { ...jsonTexts(SAMPLE), ...formTexts }, (raw) => {
		const { parts, refusal } = readDelivery({ raw, parsed: undefined });
		const marks = parts.map(({ entry }) => findMarks(entry));
		return { marks, entries: refusal ? [] : parts.map(entryOf) };
	}),
];
