import type { IDataObject } from 'n8n-workflow';

import { simplifyCall } from '../../calls/recordItem';
import {
	countVoicemail,
	defineOptionsCollection,
	includeDetails,
	optionsIn,
} from '../../parameters/options';
import { defineOutput, readShape } from '../../parameters/output';
import { groupByCall } from '../../pbx/cdrs/cdr';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { callSearch, noSuchCall, readLegs } from './calls';

/** GET `cdrs` with `filter_bridge_id` (§4.3), the legs joined to one call. */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get call',
	description: 'Get one call by its ID: who called whom, how it ended, talk time, recording',
	kind: 'read',
	parameters: [
		...callSearch.parameters,
		...defineOutput(simplifyCall([{}])),
		defineOptionsCollection(countVoicemail, includeDetails),
	],
	output: 'The call',
	async execute(call) {
		const search = callSearch.read(call);
		const countsVoicemail = countVoicemail.read(optionsIn(call));
		const opened = await call.pbx();
		const shape = readShape(
			call,
			({ legs }) => simplifyCall(legs as IDataObject[], countsVoicemail),
			opened.country,
		);
		const calls = groupByCall(await readLegs(opened, search));
		if (calls.length === 0) throw noSuchCall(call, search);
		return itemsOf(calls.map(({ legs }) => shape({ callId: search.callId, legs })));
	},
};
