import type { INodeProperties } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { defineSteps } from '../../../../nodes/VirtualPbx/parameters/steps';
import { KINDS } from '../../../../nodes/VirtualPbx/pbx/pivot/answer';

const [collection] = defineSteps({ name: 'steps', displayName: 'Steps' }).property.options ?? [];
const fields = (collection as { values: INodeProperties[] }).values;

/** The fields that the editor shows for a step; those that it marks when empty with an asterisk. */
const shown = (step: object) =>
	fields
		.filter((field) => NodeHelpers.displayParameter({ ...step } as never, field, null, null))
		.map(({ name, required }) => `${name}${required ? '*' : ''}`);

describe('the step editor', () => {
	it('offers every kind of step', () => {
		const type = fields.find(({ name }) => name === 'type');
		const offered = type?.options?.map((option) => 'value' in option && option.value);
		expect(offered).toEqual(KINDS.map((kind) => kind.type));
	});

	it.each(KINDS.map((kind) => [kind.type, kind] as const))(
		'shows what belongs to %s, and nothing else',
		(type, kind) => {
			expect(shown({ type })).toEqual([
				'type',
				...(kind.target ? [`${kind.target}*`] : []),
				...(kind.rings ? ['ringing'] : []),
			]);
		},
	);

	it('shows everything and requires nothing where the kind comes from an expression', () => {
		expect(shown({ type: '={{ $json.type }}' })).toEqual([
			'type',
			'extension',
			'id',
			'filename',
			'ringing',
		]);
	});
});
