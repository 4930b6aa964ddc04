import type { IDataObject } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { wasAccepted } from './deduplication';
import type { PendingResponse } from './deduplication';

/** How long the first delivery of a group waits for more. A stock Kazoo waits a second for the response. */
const OPEN_MS = 400;
/** Enough for the busiest PBX, and the most that one execution starts with. */
const MAX_EVENTS = 500;

interface Group {
	items: IDataObject[];
	/** Whether n8n accepted the delivery that starts the workflow with all items. */
	started: Promise<boolean>;
}

/** The deliveries of one trigger that wait to start the workflow together. */
export class EventGroups {
	private open: Group | undefined;

	/**
	 * Adds items to the open group. The first delivery of a group gets all its items after {@link OPEN_MS}, to start the
	 * workflow with them. The others get no items once n8n has accepted the first, and undefined if it didn't.
	 */
	async join(items: IDataObject[], response: PendingResponse): Promise<IDataObject[] | undefined> {
		const { open } = this;
		if (open && open.items.length + items.length <= MAX_EVENTS) {
			open.items.push(...items);
			return (await open.started) ? [] : undefined;
		}
		const group = { items: [...items], started: wasAccepted(response) };
		this.open = group;
		await sleep(OPEN_MS);
		if (this.open === group) this.open = undefined;
		return group.items;
	}
}
