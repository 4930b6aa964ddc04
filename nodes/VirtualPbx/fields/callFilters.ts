import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { HANGUP_CAUSES, hangupWords } from '../values/hangupCause';

/** A filter by numbers, as `readNumberMatch` reads them: whole ones, and beginnings that end with `*`. */
export function numbersFilter(
	displayName: string,
	name: string,
	description: string,
): INodeProperties {
	return {
		displayName,
		name,
		type: 'string',
		default: '',
		placeholder: 'e.g. 74951234567, 7916*',
		description: `${description}. Separate several by commas; end with * to match the beginning.`,
	};
}

/** A filter by direction as the switch sees it (§2.4, §6). */
export const directionFilter: INodeProperties = {
	displayName: 'Direction',
	name: 'direction',
	type: 'options',
	default: 'inbound',
	description: 'Only legs of this direction, as the exchange sees it',
	options: [
		{ name: 'Inbound', value: 'inbound' },
		{ name: 'Outbound', value: 'outbound' },
	],
};

/**
 * A filter by hang-up causes.
 *
 * @param when where it applies; everywhere by default
 */
export function causesFilter(when?: IDisplayOptions): INodeProperties {
	return {
		displayName: 'Hang-Up Causes',
		name: 'hangupCauses',
		type: 'multiOptions',
		default: [],
		...(when ? { displayOptions: when } : {}),
		description: 'Only ended calls with one of these causes. An expression may give others.',
		options: HANGUP_CAUSES.map((value) => ({
			name: `${hangupWords(value)} (${value})`,
			value,
		})).sort((a, b) => a.name.localeCompare(b.name)),
	};
}
