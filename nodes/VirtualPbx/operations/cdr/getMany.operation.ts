import { outputFields, readLimit, readShape, returnAllFields } from '../../fields/output';
import { CDR_FIELDS, simplifyCdr } from '../../records/cdr';
import { readCdrs } from '../../records/readCdrs';
import { inCountry } from '../../values/phone/country';
import type { Operation } from '../contract';
import { inPlace } from '../contract';
import { readChosenCountry } from './country';
import { readSearch, searchFields, searchOptions } from './search';

/** GET `cdrs` with a range and filters (§4.3). */
export const getMany: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many call records',
	description: 'Get call records (CDRs) of the account by time, caller, or any other field',
	kind: 'read',
	fields: [
		...returnAllFields,
		...searchFields,
		...outputFields(simplifyCdr({}), CDR_FIELDS),
		searchOptions,
	],
	output: 'One item per call record, that is, per leg of a call',
	async execute({ context, itemIndex, pbx }) {
		const limit = readLimit(context, itemIndex);
		const at = { context, itemIndex };
		const opened = await pbx();
		const country = readChosenCountry(at, opened);
		const search = readSearch(at, country);
		const shape = readShape(context, itemIndex, (record) =>
			inCountry(simplifyCdr(record), country),
		);
		return inPlace(await readCdrs(opened, search, limit), shape);
	},
};
