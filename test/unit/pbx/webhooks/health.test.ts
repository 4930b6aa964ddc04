import type { IDataObject } from 'n8n-workflow';

import { readAttempt, summarize } from '../../../../nodes/VirtualPbx/pbx/webhooks/health';
import type { HealthFacts } from '../../../../nodes/VirtualPbx/pbx/webhooks/health';
import * as health from '../../../../nodes/VirtualPbx/pbx/webhooks/health';
import { Webhook } from '../../../../nodes/VirtualPbx/pbx/webhooks/webhooks';
import { webhookName } from '../../../../nodes/VirtualPbx/triggers/callEvent/webhooks';
import { toIso } from '../../../../nodes/VirtualPbx/util/time';
import { readCorpus } from '../../../support/corpus';

const healthOf = (shown: IDataObject, evidence: HealthFacts) =>
	health.healthOf(new Webhook(shown), evidence);
const workflowIn = (name: string) => new Webhook({ name }).workflow;

const CORPUS: Record<string, { isSuccess: boolean; status?: number; reason: RegExp }> = {
	taken: { isSuccess: true, reason: /^$/ },
	'answered with another status': { isSuccess: false, status: 503, reason: /overloaded/ },
	'no answer in time': { isSuccess: false, reason: /didn't respond in time/ },
	'a refused connection': { isSuccess: false, reason: /refused the connection/ },
	'no tries left': { isSuccess: false, reason: /retries exceeded/ },
	'the oldest form: a blank in a name': { isSuccess: false, reason: /host name/ },
	'taken, with what was sent and answered': { isSuccess: true, status: 200, reason: /^$/ },
	'answered with another status, in the later form': {
		isSuccess: false,
		status: 404,
		reason: /no workflow listens/,
	},
	'the last try, in the later form': { isSuccess: false, reason: /didn't respond in time/ },
};

describe('delivery attempts (§2.5: fields not shown)', () => {
	it.each(readCorpus('attempts').map(({ what, body }) => [what, body] as const))(
		'are read as a platform logs them: %s',
		(what, body) => {
			const { isSuccess, status, reason } = readAttempt(body);
			const expected = CORPUS[what];
			expect({ isSuccess, status }).toEqual({
				isSuccess: expected?.isSuccess,
				status: expected?.status,
			});
			expect(reason).toMatch(expected?.reason ?? /unknown to this test/);
		},
	);

	it('without times, the first of the list is the latest', () => {
		const failure = { result: 'failure' };
		const success = { result: 'success' };
		expect(summarize([failure, success]).isFailing).toBe(true);
		expect(summarize([success, failure]).isFailing).toBe(false);
	});

	it.each<[string, IDataObject, Partial<ReturnType<typeof readAttempt>>]>([
		[
			'a status near 200',
			{ result: 'failure', resp_status_code: '204' },
			{ isSuccess: false, reason: expect.stringMatching(/204, .*only 200/) as string },
		],
		[
			'words in place of a number',
			{ result: 'failure', retries_left: 'retries exceeded' },
			{ reason: 'retries exceeded' },
		],
		[
			'a number of tries left',
			{ result: 'failure', retries_left: 2 },
			{ reason: 'the PBX logs no reason' },
		],
		['a form that nobody knows', { status: 'failed', code: 500 }, { isSuccess: undefined }],
	])('are read with %s', (_, entry, expected) =>
		expect(readAttempt(entry)).toMatchObject(expected),
	);

	it('are put in order by their times, however the PBX lists them', () => {
		const now = Math.floor(Date.now() / 1000);
		const at = (ago: number) => now - ago + 62_167_219_200;
		const success = { result: 'success', timestamp: at(700) };
		const failure = { result: 'failure', timestamp: at(100) };
		const expected = { isFailing: true, lastFailure: { at: (now - 100) * 1000 } };
		expect(summarize([success, failure])).toMatchObject(expected);
		expect(summarize([failure, success])).toMatchObject(expected);
	});

	const HOUR = 3_600_000;
	it.each<[string, IDataObject[], string]>([
		['a failure', [{ timestamp: 1 }], 'failing'],
		['an old failure', [{ timestamp: 2.1 }], 'quiet'],
		[
			'an old failure after a success',
			[{ timestamp: 3 }, { timestamp: 4, result: 'success' }],
			'quiet',
		],
		[
			'a failure before a success',
			[{ timestamp: 1, result: 'success' }, { timestamp: 2 }],
			'delivering',
		],
		['a failure at an unknown time', [{}], 'failing'],
		['nothing', [], 'quiet'],
	])('count only while they are news: %s', (_, attempts, verdict) => {
		const entries = attempts.map(({ timestamp, ...rest }) => ({
			...{ result: 'failure', ...rest },
			...(timestamp === undefined ? {} : { timestamp: Date.now() - Number(timestamp) * HOUR }),
		}));
		expect(summarize(entries)).toMatchObject({
			isFailing: verdict === 'failing',
			isDelivering: verdict === 'delivering',
		});
	});

	it('of which nothing is known only count', () => {
		expect(summarize([{}, { result: 'pending' }])).toMatchObject({
			attempts: 2,
			succeeded: 0,
			failed: 0,
			isFailing: false,
		});
	});
});

describe('the state of a registration', () => {
	const webhook = { id: 'w1', name: 'n8n: Calls (Call Ended)', hook: 'channel_destroy', uri: 'u' };
	const now = Math.floor(Date.now() / 1000);
	const failure = { result: 'failure', resp_status_code: '401', timestamp: now - 200 };
	const success = { result: 'success', timestamp: now - 100 };

	it.each([
		['ok', webhook, [success, failure], true],
		['ok', webhook, [], true],
		['ok', webhook, [success], false],
		['unknown address', webhook, [], false],
		['failing', webhook, [failure], true],
		['failing', webhook, [failure], false],
		['switched off', { ...webhook, enabled: false }, [success], true],
		['ok', { ...webhook, enabled: true, disable_reason: 'earlier' }, [success], false],
	])('is "%s"', (state, doc, entries, isKnown) => {
		expect(healthOf(doc, { attempts: entries, isKnown })).toMatchObject({
			state,
			event: 'Call Ended',
		});
	});

	it('says why and what to do, where it is not ok', () => {
		const off = { ...webhook, enabled: false, disable_reason: 'too many failures' };
		expect(healthOf(off, { attempts: [failure], isKnown: true }).reason).toMatch(
			/^the PBX has disabled it \(too many failures\); .*turn off 'Verify Deliveries'/,
		);
		expect(healthOf(webhook, { attempts: [success], isKnown: true }).reason).toBe('');
		expect(healthOf(webhook, { attempts: [failure], isKnown: true })).toMatchObject({
			lastFailureStatus: 401,
			lastFailure: toIso((now - 200) * 1000),
			lastSuccess: null,
		});
	});

	it.each<[IDataObject, RegExp]>([
		[{ http_verb: 'get' }, /^the webhook was set to GET instead of POST, so no event/],
		[{ http_verb: 'put' }, /set to PUT/],
		[{ retries: 0 }, /set to 0 delivery attempts/],
		[{ retries: '0' }, /set to 0 delivery attempts/],
		...[{ http_verb: 'POST' }, { http_verb: null }, { retries: 1 }].map(
			(shown): [IDataObject, RegExp] => [shown, /^$/],
		),
	])('says whether anything is delivered with %j', (shown, reason) => {
		const { reason: said } = healthOf({ ...webhook, ...shown }, { attempts: [], isKnown: true });
		expect(said).toMatch(reason);
	});

	it('says that no workflow listens there, and that n8n took deliveries while it started', () => {
		expect(
			healthOf(webhook, { attempts: [success], isKnown: true, isPublished: false }),
		).toMatchObject({
			state: 'not published',
			reason: expect.stringMatching(/no workflow listens/),
		});
		const body = 'n8n is starting up. Please wait';
		const taken = { ...success, resp_status_code: 200, resp_body: body };
		expect(healthOf(webhook, { attempts: [taken], isKnown: true })).toMatchObject({
			state: 'ok',
			reason: expect.stringMatching(/^n8n took 1 of these deliveries while it started, and lost/),
		});
	});

	it('is "ok" again after a failure of the proxy, once n8n listens there', () => {
		const away = { ...failure, resp_status_code: '502' };
		const evidence = { attempts: [away], isKnown: true };
		expect(healthOf(webhook, evidence).state).toBe('failing');
		expect(healthOf(webhook, { ...evidence, isPublished: true })).toMatchObject({
			state: 'ok',
			reason: expect.stringMatching(/failed while n8n was away: the receiver isn't running/),
		});
		const rejected = { ...evidence, attempts: [failure], isPublished: true };
		expect(healthOf(webhook, rejected).state).toBe('failing');
	});

	it('says where it is not sure', () => {
		expect(healthOf(webhook, { attempts: [{ result: 'pending' }], isKnown: true })).toMatchObject({
			state: 'ok',
			reason: expect.stringMatching(
				/^the PBX keeps attempts, but this package can't read how they went/,
			),
		});
		expect(healthOf(webhook, { attempts: [], isKnown: true, fault: 'no rights' }).reason).toBe(
			"attempts couldn't be read: no rights",
		);
	});

	it.each(['Calls', 'Calls (old)', 'n8n: all', 'Ünïcode 📞'])(
		'reads the workflow out of the name that the trigger gives: %s',
		(workflow) => expect(workflowIn(webhookName(workflow, 'channel_answer'))).toBe(workflow),
	);

	it('of a webhook is read from its name on one line, which says the workflow and the event', () => {
		const name = webhookName('Sales\n calls', 'channel_answer');
		expect(name).toBe('n8n: Sales calls (Call Answered)');
	});

	it('names no workflow for a webhook with another name', () => {
		expect(
			healthOf({ ...webhook, name: 'Mine' }, { attempts: [], isKnown: true }).workflow,
		).toBeNull();
	});
});
