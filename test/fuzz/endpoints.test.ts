import assert from 'node:assert/strict';
import fc from 'fast-check';

import { MARK_NAME } from '../../nodes/VirtualPbx/events/secret';
import { checkAnswer } from '../../nodes/VirtualPbx/pivot/answer';
import { startTrigger } from '../support/core';
import type { TestTrigger } from '../support/core';
import { requests, sendHostile } from './requests';
import { BUDGET_MS, runTarget, SEED } from './run';
import { TriggerBench } from '../support/trigger';

const LIMIT_MS = (BUDGET_MS ?? 0) + 60_000;

describe(`hostile requests to the event trigger, seed ${SEED}`, () => {
	let bench: TriggerBench;
	let trigger: TestTrigger;
	let secret: string;
	beforeAll(async () => {
		bench = await TriggerBench.start();
		trigger = await bench.trigger({ events: ['started', 'answered', 'ended', 'missed'] });
		await trigger.activate();
		secret = String(bench.secrets(trigger)[0]);
	});
	beforeEach(() => void (trigger.executions.length = 0));
	afterAll(async () => await bench.close());

	it(
		'never breaks it: requests without the secret',
		async () => {
			const property = fc.asyncProperty(requests, async (request) => {
				const { status, body } = await sendHostile(trigger.url(), request);
				assert.ok(status === 0 || (status >= 400 && status <= 499), `Status ${status}`);
				assert.ok(!body.includes(secret));
				assert.deepEqual([trigger.executions, trigger.failures], [[], []]);
			});
			await runTarget({ name: 'requests without the secret', property });
		},
		LIMIT_MS,
	);

	it(
		'never breaks it: requests with the secret',
		async () => {
			const url = `${trigger.url()}?${MARK_NAME}=${secret}`;
			const property = fc.asyncProperty(requests, async (request) => {
				const { status, body } = await sendHostile(url, request);
				assert.ok(status <= 499, `Status ${status}`);
				assert.ok(!body.includes(secret));
				assert.ok(!JSON.stringify(trigger.executions).includes(secret));
				assert.deepEqual(trigger.failures, []);
				trigger.executions.length = 0;
			});
			await runTarget({ name: 'requests with the secret', property });
		},
		LIMIT_MS,
	);
});

describe(`hostile requests to the routing trigger, seed ${SEED}`, () => {
	let trigger: TestTrigger;
	beforeAll(async () => {
		const fallback = { step: [{ type: 'voicemail', extension: '101' }] };
		const parameters = { fallback, responseMode: 'onReceived' };
		trigger = await startTrigger({ type: 'virtualPbxRoutingTrigger', parameters });
	});
	afterAll(async () => await trigger.close());

	it(
		'never breaks it: questions about calls',
		async () => {
			const property = fc.asyncProperty(requests, async (request) => {
				const { status, body } = await sendHostile(trigger.url(), request);
				assert.ok(status <= 499, `Status ${status}`);
				if (status === 200) assert.deepEqual(checkAnswer(body).problems, []);
				assert.deepEqual(trigger.failures, []);
				trigger.executions.length = 0;
			});
			await runTarget({ name: 'questions about calls', property });
		},
		LIMIT_MS,
	);
});
