import { account } from './account';
import { call } from './call';
import { callflow } from './callflow';
import { cdr } from './cdr';
import type { Resource } from './contract';
import { recording } from './recording';
import { routing } from './routing';
import { webhook } from './webhook';

/** What the action node offers, in display order. Properties, dispatch and docs are all derived from it. */
export const RESOURCES: readonly Resource[] = [
	account,
	call,
	cdr,
	callflow,
	recording,
	routing,
	webhook,
];

/** The resource of a fresh node. n8n leaves defaults out of saved workflows, so it must stay. */
export const DEFAULT_RESOURCE = 'call';
