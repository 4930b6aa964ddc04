import type { CallOutput } from '../../calls/call';
import { callPasses, rawCall, simplifyCall } from '../../calls/record';
import type { RecordedCall } from '../../calls/recordedCalls';
import {
	countVoicemail,
	defineOptionsCollection,
	includeDetailsIfSimple,
} from '../../parameters/options';
import { lookUpEmployees, defineOutput, limit, readShape } from '../../parameters/output';
import { Cdr } from '../../pbx/cdrs/cdr';
import type { Operation, OperationItem } from '../operation';
import { toItemsInPlace } from '../operation';
import { calls, chosenEmployeeFiller, readCallParts } from './calls';

/** GET `cdrs` with a range (§4.3), the legs joined to calls. */
export const getMany: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many calls',
	description: 'Get the calls of a period: who called whom, how they ended, talk time, recordings',
	kind: 'read',
	parameters: [
		...limit.parameters,
		...calls.period,
		...defineOutput(simplifyCall([new Cdr({})])),
		calls.filters,
		defineOptionsCollection(countVoicemail, includeDetailsIfSimple, lookUpEmployees),
	],
	output: 'One item per call, as Get returns it',
	async execute(call) {
		const most = limit.read(call);
		const opened = await call.pbx();
		const { query, filters } = calls.read(call, opened.country);
		const keep = ({ legs, shown }: RecordedCall) => callPasses(legs, filters, shown);
		const toSimple = ({ legs, shown }: RecordedCall, output: CallOutput) =>
			simplifyCall(legs, { ...output, shown });
		const shape = readShape(call, { toSimple, toRaw: rawCall }, opened.country);
		const fill = await chosenEmployeeFiller(call, opened);
		let items: OperationItem[] = [];
		for await (const part of readCallParts(opened, { ...query, keep }, most)) {
			items = items.concat(toItemsInPlace(part, (one) => fill(shape(one))));
		}
		return items;
	},
};
