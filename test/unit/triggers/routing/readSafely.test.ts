import type { IWebhookFunctions } from 'n8n-workflow';

import { readSafely } from '../../../../nodes/VirtualPbx/triggers/routing/settings';

describe('a parameter that is read while a call waits', () => {
	it.each([new Error('no such field'), 'no such field'])(
		'gives its default when its expression fails, and the log says why',
		(fault) => {
			const logged: string[] = [];
			const context = {
				getNode: () => ({ name: 'Call' }),
				getNodeParameter: () => {
					throw fault;
				},
				logger: { error: (text: string) => void logged.push(text) },
			};

			expect(readSafely(context as unknown as IWebhookFunctions, 'deadline', 4)).toBe(4);
			expect(logged).toEqual(['Call: the parameter "deadline" cannot be read: no such field']);
		},
	);
});
