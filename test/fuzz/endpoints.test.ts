import assert from 'node:assert/strict';
import fc from 'fast-check';

import { TAG_NAME } from '../../nodes/VirtualPbx/pbx/events/webhookTag';
import { checkAnswer } from '../../nodes/VirtualPbx/pbx/pivot/answer';
import { startTrigger } from '../support/core';
import type { TestTrigger } from '../support/core';
import { requests, sendHostile } from './requests';
import type { Answered } from './requests';
import { BUDGET_MS, runTarget, SEED } from './run';
import { TriggerBench } from '../support/trigger';

const LIMIT_MS = (BUDGET_MS ?? 0) + 60_000;

/** Sends requests; none may make the trigger fail. */
async function runRequests(
	name: string,
	{ trigger, query = '' }: { trigger: TestTrigger; query?: string },
	check: (answer: Answered) => void,
): Promise<void> {
	const property = fc.asyncProperty(requests, async (request) => {
		trigger.executions.length = 0;
		const answer = await sendHostile(`${trigger.url()}${query}`, request);
		assert.ok(answer.status <= 499, `Status ${answer.status}`);
		assert.deepEqual(trigger.failures, []);
		check(answer);
	});
	await runTarget({ name, property });
}

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
	afterAll(async () => await bench.close());

	it.each([
		['requests without the secret', false],
		['requests with the secret', true],
	])(
		'never breaks it: %s',
		async (name, isKnown) => {
			const query = isKnown ? `?${TAG_NAME}=${secret}` : '';
			await runRequests(name, { trigger, query }, ({ status, body }) => {
				assert.ok(!body.includes(secret));
				assert.ok(!JSON.stringify(trigger.executions).includes(secret));
				if (isKnown) return;
				assert.ok(status === 0 || status >= 400, `Status ${status}`);
				assert.deepEqual(trigger.executions, []);
			});
		},
		LIMIT_MS,
	);
});

describe(`hostile requests to the routing trigger, seed ${SEED}`, () => {
	it(
		'never breaks it: questions about calls',
		async () => {
			const fallback = { step: [{ type: 'voicemail', extension: '101' }] };
			const parameters = { fallback, responseMode: 'onReceived' };
			const trigger = await startTrigger({ type: 'virtualPbxRoutingTrigger', parameters });
			await runRequests('questions about calls', { trigger }, ({ status, body }) => {
				if (status === 200) assert.deepEqual(checkAnswer(body).problems, []);
			});
			await trigger.close();
		},
		LIMIT_MS,
	);
});
