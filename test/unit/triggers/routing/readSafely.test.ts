import type { IWebhookFunctions } from 'n8n-workflow';

import {
	deadline,
	readFallback,
	readSafely,
} from '../../../../nodes/VirtualPbx/triggers/routing/parameters';

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

			expect(readSafely(context as unknown as IWebhookFunctions, deadline)).toBe(4);
			expect(logged).toEqual(['Call: the parameter "deadline" can\'t be read: no such field']);
		},
	);
});

it('drops a fallback step that no JSON can hold, and says so', () => {
	const step: Record<string, unknown> = { type: 'extension', extension: '100' };
	const circular: Record<string, unknown> = { ...step };
	circular.self = circular;
	const context = { getNodeParameter: () => ({ step: [circular, step] }) };
	expect(readFallback(context as unknown as IWebhookFunctions)).toEqual({
		fallback: { operations: [step] },
		dropped: ["Step 1: it can't be written as JSON"],
	});
});
