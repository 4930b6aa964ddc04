import type { INode } from 'n8n-workflow';

import { IS_RELEASE } from '../release';

/** How often the tests' record triggers check: every minute for a release, else every 10 s. */
const CHECK_EVERY = IS_RELEASE ? 'minute' : 'tenSeconds';

/** Lets a node check as often as tests need, if it is a record trigger. */
export function checkSoon({ type, parameters }: Pick<INode, 'type' | 'parameters'>): void {
	if (type.endsWith('.virtualPbxRecordTrigger')) parameters.checkEvery = CHECK_EVERY;
}

/** How long to wait for a polled record, even one dated ahead of real time, as accelerated calls are. */
export const POLL_PATIENCE_MS = 120_000;

/** The pause between two tries of a CRM's node. A release waits as the workflows do. */
export const RETRY_MS = IS_RELEASE ? 5000 : 1000;
