import { ANY_ACCOUNT } from '../../../nodes/VirtualPbx/calls/leg';
import type { Settings } from '../../../nodes/VirtualPbx/triggers/callEvent/parameters';

/** The settings of an event trigger for ended calls, with changes. */
export const eventSettings = (changes: Partial<Settings> = {}): Settings => ({
	events: ['ended'],
	legs: 'oncePerCall',
	filters: { countVoicemail: true },
	simplify: true,
	account: ANY_ACCOUNT,
	includeDetails: true,
	dropRepeats: true,
	groupEvents: false,
	customData: {},
	retries: 2,
	checkMinutes: 0,
	startsErrorWorkflow: false,
	...changes,
});
