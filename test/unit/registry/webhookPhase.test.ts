import { webhookDescriptionIsNativelyResolvable } from 'n8n-workflow';

import { VirtualPbxRoutingTrigger } from '../../../nodes/VirtualPbx/VirtualPbxRoutingTrigger.node';
import { VirtualPbxTrigger } from '../../../nodes/VirtualPbx/VirtualPbxTrigger.node';

/** n8n makes a sandbox for a request as soon as it evaluates an expression before our webhook() runs (docs/internals/n8n.md). */
describe.each([new VirtualPbxTrigger(), new VirtualPbxRoutingTrigger()])(
	'a request to $description.displayName',
	({ description }) => {
		it('needs no expression of the description', () => {
			expect(description.webhooks?.map(webhookDescriptionIsNativelyResolvable)).toEqual(
				description.webhooks?.map(() => true),
			);
		});

		it('finds no version 1, for which n8n evaluates an expression about each body', () => {
			expect([description.version].flat()).not.toContain(1);
		});
	},
);
