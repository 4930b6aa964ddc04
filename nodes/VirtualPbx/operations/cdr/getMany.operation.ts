import { countVoicemailOption } from '../../fields/callFilters';
import { includeDetailsOption, optionsField, readCountsVoicemail } from '../../fields/options';
import { outputFields, readLimit, readShape, returnAllFields } from '../../fields/output';
import { timeRangeFields } from '../../fields/timeRange';
import { CDR_FIELDS } from '../../records/cdr';
import { simplifyCdr } from '../../records/output';
import { readCdrs } from '../../records/readCdrs';
import type { Operation } from '../contract';
import { inPlace } from '../contract';
import { cdrFilterFields, readSearch } from './filters';

/** GET `cdrs` with a range and filters (§4.3). */
export const getMany: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many call records',
	description: 'Get call records (CDRs) of the account by time, caller, or any other field',
	kind: 'read',
	fields: [
		...returnAllFields,
		...timeRangeFields({ after: 'as far back as the PBX goes', before: 'now' }),
		...outputFields(simplifyCdr({}), CDR_FIELDS),
		cdrFilterFields,
		optionsField(countVoicemailOption, includeDetailsOption),
	],
	output: 'One item per call record, that is, per leg of a call',
	async execute(call) {
		const limit = readLimit(call);
		const countsVoicemail = readCountsVoicemail(call);
		const opened = await call.pbx();
		const search = readSearch(call, opened.country);
		const shape = readShape(call, (record) => simplifyCdr(record, countsVoicemail), opened.country);
		return inPlace(await readCdrs(opened, search, limit), shape);
	},
};
