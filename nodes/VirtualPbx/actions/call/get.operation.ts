import type { IDataObject } from 'n8n-workflow';

import { simplifyCall } from '../../calls/recordItem';
import { countVoicemailOption } from '../../parameters/callFilters';
import { includeDetailsOption, optionsField, readCountsVoicemail } from '../../parameters/options';
import { outputFields, readShape } from '../../parameters/output';
import { groupByCall } from '../../pbx/cdrs/cdr';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { callSearchFields, noSuchCall, readCallSearch, readLegs } from './calls';

/** GET `cdrs` with `filter_bridge_id` (§4.3), the legs joined to one call. */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get call',
	description: 'Get one call by its ID: who called whom, how it ended, talk time, recording',
	kind: 'read',
	fields: [
		...callSearchFields,
		...outputFields(simplifyCall([{}])),
		optionsField(countVoicemailOption, includeDetailsOption),
	],
	output: 'The call',
	async execute(call) {
		const search = readCallSearch(call);
		const countsVoicemail = readCountsVoicemail(call);
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
