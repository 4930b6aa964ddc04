import {
	callRecordFields,
	DEFAULTS,
} from '../../../../nodes/VirtualPbx/triggers/callRecord/fields';
import { allProperties } from '../../../support/nodes';

describe('the inputs of the record trigger', () => {
	it('have the defaults that are read where n8n leaves them out', () => {
		const defaults = new Map(
			allProperties(callRecordFields).map(({ property }) => [property.name, property.default]),
		);
		for (const [name, value] of Object.entries(DEFAULTS)) {
			expect([name, defaults.get(name)]).toEqual([name, value]);
		}
	});
});
