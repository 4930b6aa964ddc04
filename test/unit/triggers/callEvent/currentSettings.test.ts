import type { INodeParameters, IWebhookFunctions } from 'n8n-workflow';

import {
	currentParameters,
	settingsFor,
} from '../../../../nodes/VirtualPbx/triggers/callEvent/settings';
import { runtimeOf } from '../../../../nodes/VirtualPbx/triggers/runtime/nodeRuntime';

/** Reads the parameters as for one delivery, for which n8n loads the node anew; counts what is evaluated. */
function deliver(id: string, parameters: INodeParameters, country?: string) {
	let evaluated = 0;
	const context = {
		getWorkflow: () => ({ id }),
		getNode: () => ({ id, name: 'Trigger', parameters: structuredClone(parameters) }),
		getNodeParameter: (name: string, byDefault: unknown) => {
			evaluated += 1;
			return parameters[name] ?? byDefault;
		},
	};
	const ofDelivery = context as unknown as IWebhookFunctions;
	const read = currentParameters(ofDelivery, runtimeOf(ofDelivery));
	const settings = settingsFor(ofDelivery, read, { country });
	return { verifies: read.isVerifying, settings, evaluated };
}

const PARAMETERS = { events: ['ended'], options: { verifyDeliveries: false } };

it('reads the parameters of a trigger once for all deliveries', () => {
	const first = deliver('once', PARAMETERS);
	const second = deliver('once', PARAMETERS);

	expect(first.evaluated).toBeGreaterThan(0);
	expect(second).toEqual({ ...first, evaluated: 0 });
	expect(second.settings).toMatchObject({ events: ['ended'], legs: 'oncePerCall', retries: 2 });
});

it('reads them again when they, or the country, have changed', () => {
	deliver('changed', PARAMETERS);

	expect(deliver('changed', { events: ['missed'] })).toMatchObject({
		verifies: true,
		settings: { events: ['missed'], country: undefined },
	});
	expect(deliver('changed', { events: ['missed'] }, 'RU').settings.country).toBe('RU');
});

it('reads those with an expression for each delivery', () => {
	const parameters = { ...PARAMETERS, simplify: '={{ $now.hour > 8 }}' };
	const first = deliver('expression', parameters);

	expect(deliver('expression', parameters).evaluated).toBe(first.evaluated);
});
