import type { IDataObject } from 'n8n-workflow';

import { healthOf, readAttempt, summarize } from '../../../../nodes/VirtualPbx/pbx/webhooks/health';
import type { HealthFacts } from '../../../../nodes/VirtualPbx/pbx/webhooks/health';
import { Webhook } from '../../../../nodes/VirtualPbx/pbx/webhooks/webhooks';
import { webhookName } from '../../../../nodes/VirtualPbx/triggers/callEvent/webhooks';
import { toIso } from '../../../../nodes/VirtualPbx/util/time';
import { readCorpus } from '../../../support/corpus';

/** What the attempts of the corpus mean: the status, and the reason of a failure. */
const CORPUS: Record<string, [isSuccess: boolean, status: number | undefined, reason: RegExp]> = {
	taken: [true, undefined, /^$/],
	'answered with another status': [false, 503, /overloaded/],
	'no answer in time': [false, undefined, /didn't respond in time/],
	'a refused connection': [false, undefined, /refused the connection/],
	'no tries left': [false, undefined, /retries exceeded/],
	'the oldest form: a blank in a name': [false, undefined, /host name/],
	'taken, with what was sent and answered': [true, 200, /^$/],
	'answered with another status, in the later form': [false, 404, /no workflow listens/],
	'the last try, in the later form': [false, undefined, /didn't respond in time/],
};

describe('delivery attempts (§2.5: fields not shown)', () => {
	it.each(readCorpus('attempts').map(({ what, body }) => [what, body] as const))(
		'are read as a platform logs them: %s',
		(what, body) => {
			const [isSuccess, status, reason] = CORPUS[what] ?? [];
			const read = readAttempt(body);
			expect([read.isSuccess, read.status]).toEqual([isSuccess, status]);
			expect(read.reason).toMatch(reason ?? /unknown to this test/);
		},
	);

	it.each<[string, IDataObject, Partial<ReturnType<typeof readAttempt>>]>([
		[
			'words in place of a number',
			{ retries_left: 'retries exceeded' },
			{ reason: 'retries exceeded' },
		],
		['a number of tries left', { retries_left: 2 }, { reason: 'the PBX logs no reason' }],
		['a form that nobody knows', { result: 'failed', code: 500 }, { isSuccess: undefined }],
		[
			'a status near 200',
			{ resp_status_code: '204' },
			{ isSuccess: false, reason: expect.stringMatching(/204, .*only 200/) as string },
		],
	])('are read with %s', (_, entry, expected) =>
		expect(readAttempt({ result: 'failure', ...entry })).toMatchObject(expected),
	);

	it('are in order by their times, however the PBX lists them, and else the first is the latest', () => {
		const order = (...attempts: IDataObject[]) => summarize(attempts).isFailing;
		const [success, failure] = [{ result: 'success' }, { result: 'failure' }];
		expect([order(failure, success), order(success, failure)]).toEqual([true, false]);
		const gregorian = Math.floor(Date.now() / 1000) + 62_167_219_200;
		const earlier = { ...success, timestamp: gregorian - 700 };
		const later = { ...failure, timestamp: gregorian - 100 };
		expect([order(earlier, later), order(later, earlier)]).toEqual([true, true]);
	});

	const HOUR = 3_600_000;
	const failed = (hoursAgo: number) => ({
		result: 'failure',
		timestamp: Date.now() - hoursAgo * HOUR,
	});
	const taken = (hoursAgo: number) => ({ ...failed(hoursAgo), result: 'success' });
	it.each<[string, IDataObject[], 'isFailing' | 'isDelivering' | undefined]>([
		['a failure', [failed(1)], 'isFailing'],
		['an old failure', [failed(2.1)], undefined],
		['an old failure after a success', [failed(3), taken(4)], undefined],
		['a failure before a success', [taken(1), failed(2)], 'isDelivering'],
		['a failure at an unknown time', [{ result: 'failure' }], 'isFailing'],
		['what nobody can read', [{}, { result: 'pending' }], undefined],
		['nothing', [], undefined],
	])('count only while they are news: %s', (_, attempts, verdict) => {
		expect(summarize(attempts)).toMatchObject({
			...{ attempts: attempts.length, isFailing: false, isDelivering: false },
			...(verdict && { [verdict]: true }),
		});
	});
});

describe('the state of a registration', () => {
	const webhook = { id: 'w1', name: 'n8n: Calls (Call Ended)', hook: 'channel_destroy', uri: 'u' };
	const now = Math.floor(Date.now() / 1000);
	const failure = { result: 'failure', resp_status_code: '401', timestamp: now - 200 };
	const success = { result: 'success', timestamp: now - 100 };

	const stateOf = (doc: IDataObject, attempts: IDataObject[], more: Partial<HealthFacts> = {}) =>
		healthOf(new Webhook({ ...webhook, ...doc }), { attempts, isKnown: true, ...more });
	const off = { enabled: false, disable_reason: 'too many failures' };
	const away = { ...failure, resp_status_code: '502' };
	const starting = {
		...success,
		resp_status_code: 200,
		resp_body: 'n8n is starting up. Please wait',
	};

	it.each<[string, RegExp, ReturnType<typeof stateOf>]>([
		[
			'switched off',
			/^the PBX has disabled it \(too many failures\); .*turn off 'Verify Deliveries'/,
			stateOf(off, [failure]),
		],
		[
			'failing',
			/^the webhook was set to GET instead of POST, so no event/,
			stateOf({ http_verb: 'get' }, []),
		],
		['failing', /set to PUT/, stateOf({ http_verb: 'put' }, [])],
		['failing', /set to 0 delivery attempts/, stateOf({ retries: 0 }, [])],
		['failing', /set to 0 delivery attempts/, stateOf({ retries: '0' }, [])],
		...[{ http_verb: 'POST' }, { http_verb: null }, { retries: 1 }].map(
			(shown): [string, RegExp, ReturnType<typeof stateOf>] => ['ok', /^$/, stateOf(shown, [])],
		),
		['not published', /no workflow listens/, stateOf({}, [success], { isPublished: false })],
		['ok', /^n8n took 1 of these deliveries while it started, and lost/, stateOf({}, [starting])],
		// A failure of the proxy is over once n8n listens there.
		['failing', /./, stateOf({}, [away])],
		[
			'ok',
			/failed while n8n was away: the receiver isn't running/,
			stateOf({}, [away], { isPublished: true }),
		],
		['failing', /./, stateOf({}, [failure], { isPublished: true })],
		[
			'ok',
			/^the PBX keeps attempts, but this package can't read how they went/,
			stateOf({}, [{ result: 'pending' }]),
		],
		['ok', /^attempts couldn't be read: no rights$/, stateOf({}, [], { fault: 'no rights' })],
		['ok', /^$/, stateOf({}, [success, failure])],
		['ok', /^$/, stateOf({}, [])],
		['ok', /^$/, stateOf({}, [success], { isKnown: false })],
		['unknown address', /./, stateOf({}, [], { isKnown: false })],
		['failing', /./, stateOf({}, [failure])],
		['failing', /./, stateOf({}, [failure], { isKnown: false })],
		['ok', /^$/, stateOf({ enabled: true, disable_reason: 'earlier' }, [success])],
	])('is "%s", and says why and what to do: %s', (state, reason, found) => {
		expect(found.state).toBe(state);
		expect(found.reason).toMatch(reason);
	});

	it('says when a delivery failed last, and with which status', () => {
		expect(stateOf({}, [failure])).toMatchObject({
			...{ event: 'Call Ended', lastFailureStatus: 401, lastSuccess: null },
			lastFailure: toIso((now - 200) * 1000),
		});
	});

	it.each(['Calls', 'Calls (old)', 'n8n: all', 'Ünïcode 📞'])(
		'names the workflow by the name that the trigger gives: %s',
		(workflow) => {
			const workflowIn = (name: string) => new Webhook({ name }).workflow;
			expect(workflowIn(webhookName(workflow, 'channel_answer'))).toBe(workflow);
		},
	);

	it('names workflow and event on one line, and no workflow for a webhook with another name', () => {
		const name = webhookName('Sales\n calls', 'channel_answer');
		expect(name).toBe('n8n: Sales calls (Call Answered)');
		expect(stateOf({ name: 'Mine' }, []).workflow).toBeNull();
	});
});
