import type { CallOutput } from '../../calls/call';
import { rawCall, simplifyCall } from '../../calls/record';
import type { RecordedCall } from '../../calls/recordedCalls';
import { groupByCall } from '../../calls/recordedCalls';
import {
	countVoicemailIfSimple,
	defineOptionsCollection,
	includeDetailsIfSimple,
} from '../../parameters/options';
import { lookUpEmployees, defineOutput, readShape } from '../../parameters/output';
import { Cdr } from '../../pbx/cdrs/cdr';
import type { Operation } from '../operation';
import { itemsOf } from '../operation';
import { callSearch, chosenEmployeeFiller, noSuchCall } from './calls';

/** GET `cdrs` with `filter_bridge_id` (§4.3), the legs joined to one call. */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get call',
	description: 'Get one call by its ID: who called whom, how it ended, talk time, recording',
	kind: 'read',
	parameters: [
		...callSearch.parameters,
		...defineOutput(simplifyCall([new Cdr({})])),
		defineOptionsCollection(countVoicemailIfSimple, includeDetailsIfSimple, lookUpEmployees),
	],
	output: 'The call',
	async execute(call) {
		const search = callSearch.read(call);
		const opened = await call.pbx();
		const toSimple = ({ legs, shown }: RecordedCall, output: CallOutput) =>
			simplifyCall(legs, { ...output, shown });
		const shape = readShape(call, { toSimple, toRaw: rawCall }, opened.country);
		const calls = groupByCall(await opened.cdrs.ofCall(search.callId, search.range));
		if (calls.length === 0) throw noSuchCall(call, search);
		const fill = await chosenEmployeeFiller(call, opened);
		return itemsOf(calls.map((one) => fill(shape({ ...one, callId: search.callId }))));
	},
};
