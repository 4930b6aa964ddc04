import type { IDataObject } from 'n8n-workflow';

import { optionsField } from '../../fields/options';
import { outputFields, readShape } from '../../fields/output';
import { sortByTime, summarizeCall } from '../../records/call';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { bridgeFields, noSuchCall, readCallSearch, readLegs } from './bridgeRange';

const SIMPLE_CALL_FIELDS = [
	'accountId',
	'answered',
	'answeredBy',
	'bridgeId',
	'direction',
	'firstAt',
	'from',
	'fromName',
	'fromUri',
	'hangupCause',
	'hangupReason',
	'lastAt',
	'legCount',
	'legs',
	'recordingFile',
	'recordings',
	'recordingUrl',
	'talkSeconds',
	'to',
	'toName',
	'toUri',
];

/** GET `cdrs` with `filter_bridge_id` (§4.3), the legs joined to one call. */
export const getCall: Operation = {
	value: 'getCall',
	name: 'Get Call',
	action: 'Get call with all its legs',
	description: 'Get one call by its Bridge-ID: who called whom, how it ended, talk time, recording',
	kind: 'read',
	fields: [...bridgeFields, ...outputFields(SIMPLE_CALL_FIELDS), optionsField()],
	output: 'The call, with its legs in a list',
	async execute({ context, itemIndex, pbx }) {
		const at = { context, itemIndex };
		const search = readCallSearch(at);
		const shape = readShape(context, itemIndex, ({ legs }) => summarizeCall(legs as IDataObject[]));
		const legs = await readLegs(await pbx(), search);
		if (legs.length === 0) throw noSuchCall(at, search);
		return itemsOf([shape({ bridgeId: search.bridgeId, legs: sortByTime(legs) })]);
	},
};
