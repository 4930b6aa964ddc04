import type { IDataObject } from 'n8n-workflow';

import { countryOption } from '../../fields/country';
import { optionsField } from '../../fields/options';
import { outputFields, readShape } from '../../fields/output';
import { sortByTime } from '../../records/call';
import { summarizeCall } from '../../records/summary';
import { inCountry } from '../../values/phone/country';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { readChosenCountry } from './country';
import { bridgeFields, noSuchCall, readCallSearch, readLegs } from './bridgeRange';

/** GET `cdrs` with `filter_bridge_id` (§4.3), the legs joined to one call. */
export const getCall: Operation = {
	value: 'getCall',
	name: 'Get Call',
	action: 'Get call with all its legs',
	description: 'Get one call by its Bridge-ID: who called whom, how it ended, talk time, recording',
	kind: 'read',
	fields: [...bridgeFields, ...outputFields(summarizeCall([{}])), optionsField(countryOption)],
	output: 'The call, with its legs in a list',
	async execute({ context, itemIndex, pbx }) {
		const at = { context, itemIndex };
		const search = readCallSearch(at);
		const opened = await pbx();
		const country = readChosenCountry(at, opened);
		const shape = readShape(context, itemIndex, ({ legs }) =>
			inCountry(summarizeCall(legs as IDataObject[]), country),
		);
		const legs = await readLegs(opened, search);
		if (legs.length === 0) throw noSuchCall(at, search);
		return itemsOf([shape({ bridgeId: search.bridgeId, legs: sortByTime(legs) })]);
	},
};
