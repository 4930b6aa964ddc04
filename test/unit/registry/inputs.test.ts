import type { INodeProperties } from 'n8n-workflow';

import { registeredNodes } from '../../../tools/docs/registered';
import { allProperties } from '../../support/nodes';

const nodes = registeredNodes().then((all) =>
	all.map(({ description, methods }) => ({
		searches: Object.keys(methods?.listSearch ?? {}),
		properties: allProperties(description.properties),
	})),
);

/** Names of the properties that break a rule, so that a failure names them. */
const breaking = async (rule: (property: INodeProperties) => boolean) =>
	(await nodes)
		.flatMap(({ properties }) => properties.filter(({ property }) => !rule(property)))
		.map(({ trail }) => trail);

// What n8n's lint checks of names, descriptions, defaults and order is not repeated here.
describe('inputs of every node', () => {
	it("ask for none of n8n's checks at run time, which we leave out where there are many items", async () => {
		const isUnchecked = ({ validateType, type, modes = [] }: INodeProperties) =>
			validateType === undefined &&
			type !== 'resourceMapper' &&
			modes.every(({ extractValue }) => extractValue === undefined);
		expect(await breaking(isUnchecked)).toEqual([]);
	});

	it('search lists by a method that the node has, and default to the list', async () => {
		for (const { searches, properties } of await nodes) {
			const wanted = properties
				.flatMap(({ property }) => property.modes ?? [])
				.flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []);
			expect(searches).toEqual(expect.arrayContaining(wanted));
		}
		const defaultsToList = ({ type, modes, default: value }: INodeProperties) =>
			type !== 'resourceLocator' ||
			(modes?.[0]?.name === 'list' && (value as { mode?: string }).mode === 'list');
		expect(await breaking(defaultsToList)).toEqual([]);
	});
});
