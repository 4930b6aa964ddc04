import type { IDataObject } from 'n8n-workflow';

import { passes, simplifyCall } from '../../calls/recordItem';
import { countVoicemailOption } from '../../parameters/callFilters';
import { includeDetailsOption, optionsField } from '../../parameters/options';
import { outputFields, readLimit, readShape, returnAllFields } from '../../parameters/output';
import type { Operation, OperationItem } from '../contract';
import { inPlace } from '../contract';
import { callsFields, readCallsQuery } from './calls';
import { readCallParts } from './readCalls';

/** GET `cdrs` with a range (§4.3), the legs joined to calls. */
export const getMany: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many calls',
	description: 'Get the calls of a period: who called whom, how they ended, talk time, recordings',
	kind: 'read',
	fields: [
		...returnAllFields,
		...outputFields(simplifyCall([{}])),
		...callsFields,
		optionsField(countVoicemailOption, includeDetailsOption),
	],
	output: 'One item per call, as Get returns it',
	async execute(call) {
		const limit = readLimit(call);
		const opened = await call.pbx();
		const { query, filters } = readCallsQuery(call, opened.country);
		const keep = (legs: IDataObject[]) => passes(legs, filters);
		const shape = readShape(
			call,
			({ legs }) => simplifyCall(legs as IDataObject[], filters.countVoicemail),
			opened.country,
		);
		let items: OperationItem[] = [];
		for await (const calls of readCallParts(opened, { ...query, keep }, limit)) {
			items = items.concat(inPlace(calls, ({ callId = null, legs }) => shape({ callId, legs })));
		}
		return items;
	},
};
