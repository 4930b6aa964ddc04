import type { IDataObject } from 'n8n-workflow';

import { readAttempt, summarize } from '../../../../nodes/VirtualPbx/pbx/webhooks/attempts';
import type { Evidence } from '../../../../nodes/VirtualPbx/pbx/webhooks/health';
import * as health from '../../../../nodes/VirtualPbx/pbx/webhooks/health';
import { Webhook } from '../../../../nodes/VirtualPbx/pbx/webhooks/webhooks';
import { webhookName } from '../../../../nodes/VirtualPbx/triggers/callEvent/registration/webhooks';
import { toIso } from '../../../../nodes/VirtualPbx/util/time';
import corpus from '../../../corpus/attempts.json';

const healthOf = (shown: IDataObject, evidence: Evidence) =>
	health.healthOf(new Webhook(shown), evidence);
const isDisabled = (shown: IDataObject) => new Webhook(shown).isDisabled;
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
	it.each(corpus.attempts.map(({ what, body }) => [what, body] as const))(
		'are read as a platform logs them: %s',
		(what, body) => {
			const { isSuccess, status, reason } = readAttempt(body as unknown as IDataObject);
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

	const [taken, failed] = [{ isSuccess: true }, { isSuccess: false }];
	const because = (reason: RegExp) => ({
		...failed,
		reason: expect.stringMatching(reason) as string,
	});
	it.each<[string, IDataObject, Partial<ReturnType<typeof readAttempt>>]>([
		['a number as status', { status: 500 }, { ...failed, status: 500 }],
		['code', { code: 500 }, { ...failed, status: 500 }],
		['http_status', { http_status: 503 }, { ...failed, status: 503 }],
		['a nested response', { response: { status: 500 } }, { ...failed, status: 500 }],
		['a status with words', { response_code: '500 Internal' }, { ...failed, status: 500 }],
		['a word beside 200', { status: 'failed', http_code: 200 }, { ...failed, status: 200 }],
		['a word for a success', { status: 'success', http_code: 200 }, taken],
		['a switch that is on', { success: true, status: 204 }, { ...taken, status: 204 }],
		['a switch beside 500', { success: true, status: 500 }, { ...failed, status: 500 }],
		['nothing but an error', { error: true }, failed],
		['an error in words', { error: 'econnrefused' }, because(/refused the connection/)],
		['an error as an object', { error: { message: 'nxdomain' } }, because(/host name/)],
		['a status near 200, a failure there', { resp_status_code: 204 }, because(/204, .*only 200/)],
		['a status near 200 and a result', { result: 'ok', status: 204 }, taken],
		[
			'a status line',
			{ result: 'failure', status: 'HTTP/1.1 503 Busy' },
			{ ...failed, status: 503 },
		],
		[
			'words in place of a number',
			{ result: 'failure', retries_left: 'retries exceeded' },
			because(/^retries exceeded$/),
		],
		['a number of tries left', { result: 'failure', retries_left: 2 }, because(/logs no reason/)],
		['no status at all', { status: 'pending', code: 7 }, { isSuccess: undefined }],
	])('are read under other names: %s', (_, entry, expected) =>
		expect(readAttempt(entry)).toMatchObject(expected),
	);

	it.each<[string, (seconds: number) => IDataObject]>([
		['ISO', (seconds) => ({ timestamp: new Date(seconds * 1000).toISOString() })],
		[
			'of a database',
			(seconds) => ({
				created: new Date(seconds * 1000).toISOString().replace(/T|Z/g, ' ').trim(),
			}),
		],
		['Unix seconds as time', (time) => ({ time })],
		['ISO as created_at', (seconds) => ({ created_at: new Date(seconds * 1000).toISOString() })],
		['Gregorian seconds in text', (seconds) => ({ timestamp: String(seconds + 62_167_219_200) })],
	])('are put in order by their times, however the PBX lists and writes them: %s', (_, timed) => {
		const now = Math.floor(Date.now() / 1000);
		const success = { result: 'success', ...timed(now - 700) };
		const failure = { result: 'failure', ...timed(now - 100) };
		const expected = { isFailing: true, lastFailure: { at: (now - 100) * 1000 } };
		expect(summarize([success, failure])).toMatchObject(expected);
		expect(summarize([failure, success])).toMatchObject(expected);
	});

	const HOUR = 3_600_000;
	it.each<[string, IDataObject[], number | undefined, string]>([
		['a failure', [{ timestamp: 1 }], undefined, 'failing'],
		['a failure, and an event taken since', [{ timestamp: 1 }], 0.5, 'delivering'],
		['a failure after the event that was taken', [{ timestamp: 1 }], 1.5, 'failing'],
		['an old failure', [{ timestamp: 2.1 }], undefined, 'quiet'],
		['an old failure, and an event taken since', [{ timestamp: 2.1 }], 2, 'quiet'],
		[
			'an old failure after a success',
			[{ timestamp: 3 }, { timestamp: 4, result: 'success' }],
			undefined,
			'quiet',
		],
		['a failure at an unknown time', [{}], undefined, 'failing'],
		['one at an unknown time, and an event taken', [{}], 1, 'delivering'],
		['one at an unknown time, and an event taken long ago', [{}], 3, 'failing'],
		['nothing but an event taken', [], 1, 'delivering'],
		['nothing', [], undefined, 'quiet'],
	])('count only while they are news: %s', (_, attempts, takenAgo, verdict) => {
		const ago = (hours: unknown) => Date.now() - Number(hours) * HOUR;
		const entries = attempts.map(({ timestamp, ...rest }) => ({
			...{ result: 'failure', ...rest },
			...(timestamp === undefined ? {} : { timestamp: ago(timestamp) }),
		}));
		const taken = takenAgo === undefined ? undefined : ago(takenAgo);
		expect(summarize(entries, taken)).toMatchObject({
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
		['switched off', { ...webhook, disable_reason: 'too many failed attempts' }, [], false],
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
		[{ http_verb: ' Put ' }, /set to PUT/],
		[{ retries: 0 }, /set to 0 delivery attempts/],
		[{ retries: '0' }, /set to 0 delivery attempts/],
		...[{ http_verb: 'POST' }, { http_verb: null }, { http_verb: '', retries: '' }].map(
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

describe('a webhook is switched off', () => {
	it.each<IDataObject>([
		...[{ enabled: false }, { enabled: 'False' }, { enabled: 0 }, { enabled: 'no' }],
		...[{ disabled: true }, { active: false }, { status: 'disabled' }, { state: 'Suspended' }],
		{ enabled: null, disable_reason: 'too many failed attempts' },
	])('where the PBX shows %j', (shown) => expect(isDisabled(shown)).toBe(true));

	it.each<IDataObject>([
		...[{}, { enabled: 1 }, { active: true }, { status: 'success', state: 'ok' }],
		{ enabled: 'true', status: 'disabled', disable_reason: 'earlier' },
		{ disabled: false, disable_reason: 'earlier' },
	])('but not where it shows %j', (shown) => expect(isDisabled(shown)).toBe(false));
});
