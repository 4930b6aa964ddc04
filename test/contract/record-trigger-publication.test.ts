import type { IDataObject } from 'n8n-workflow';

import { memoriesOf, nodeRuntimes } from '../../nodes/VirtualPbx/triggers/runtime/nodeRuntime';
import { RecordTriggerState } from '../../nodes/VirtualPbx/triggers/callRecord/recordTriggerState';
import { loaded } from '../../nodes/VirtualPbx/triggers/runtime/publishing';
import { useClock } from '../support/clock';
import { idsOf, makeRecordPoller, recordOf as record } from '../support/operate';
import { useScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedAnswer } from '../support/scriptedPbx';

let records: IDataObject[] = [];
let login: ScriptedAnswer | undefined;
let cdrs: ScriptedAnswer | undefined;

const pbx = useScriptedPbx(({ path }) => {
	if (path.endsWith('/user_auth')) return login;
	return cdrs ?? { body: { data: records, status: 'success' } };
});
const clock = useClock();
beforeAll(() => void (loaded.at = 0));
beforeEach(() => {
	records = [];
	login = cdrs = undefined;
	nodeRuntimes.clear();
});

const start = async (parameters: IDataObject = {}) => await makeRecordPoller(pbx, parameters);
const WRONG_PASSWORD = { status: 401, body: { message: 'invalid credentials' } };
const DOWN = { status: 503, headers: { 'retry-after': '0' }, body: { message: 'closed' } };

describe("a record trigger at n8n's start", () => {
	it.each(['init', 'leadershipChange'] as const)(
		'asks nobody, and polls next time: %s',
		async (mode) => {
			const poller = await start();
			await poller.publish();
			pbx.requests.length = 0;
			records = [record('a')];
			expect(await poller.publish(mode)).toBeNull();
			expect(pbx.requests).toEqual([]);
			expect(idsOf(await poller.poll())).toEqual(['a']);
		},
	);

	it('does so for a publication that n8n was killed in, which it finishes as an update', async () => {
		loaded.at = Date.now();
		expect(await (await start()).publish('update')).toBeNull();
		loaded.at = 0;
		expect(pbx.requests).toEqual([]);
	});

	it('counts new calls from the start on where it has never polled', async () => {
		const poller = await start();
		await poller.publish('init');
		clock.pass(300_000);
		records = [record('before', 400), record('meanwhile', 120)];
		const polls = [await poller.poll(), await poller.poll(), await poller.poll()];
		expect(polls.flatMap(idsOf)).toEqual(['meanwhile']);
	});

	it.each<[string, IDataObject, string]>([
		['a parameter by an expression that fails', { event: '={{ $json.nothing.at.all }}' }, 'Event'],
		['a wrong parameter', { options: { maxItems: 0 } }, 'Max Items per Run'],
	])('throws nothing, and the next poll tells: %s', async (_, parameters, words) => {
		const poller = await start(parameters);
		expect(await poller.publish('init')).toBeNull();
		expect(poller.log).toHaveLength(1);
		await expect(poller.poll()).rejects.toThrow(words);
	});
});

describe('a record trigger that a person publishes', () => {
	it('asks a PBX that refuses the password once in five attempts, and says what to do in one message', async () => {
		login = WRONG_PASSWORD;
		const poller = await start();
		await expect(poller.publish('activate', { attempts: 5 })).rejects.toThrow(
			/login, password.*realm/i,
		);
		expect(pbx.requests).toHaveLength(1);
	});

	it('asks the PBX nothing where a parameter is wrong, and names it with what to do', async () => {
		const poller = await start({ firstRun: 'since', since: '' });
		await expect(poller.publish('activate', { attempts: 5 })).rejects.toThrow(
			"'Since' is empty. Enter a date such as 2026-11-05",
		);
		expect(pbx.requests).toEqual([]);
	});

	it('fails on a PBX that is down if it has read nothing yet, and works when the PBX is back', async () => {
		cdrs = DOWN;
		const poller = await start();
		await expect(poller.publish()).rejects.toThrow(/isn't available/);
		cdrs = undefined;
		expect(await poller.publish('update')).toBeNull();
	}, 60_000);

	it('goes on where it stopped on a PBX that is down, with a warning', async () => {
		const poller = await start();
		await poller.publish();
		cdrs = DOWN;
		records = [record('a')];
		expect(await poller.publish('update')).toBeNull();
		expect(poller.log.join()).toMatch(/isn't available.*The next poll tries again/s);
		cdrs = undefined;
		expect(idsOf(await poller.poll())).toEqual(['a']);
	}, 60_000);
});

describe('a scheduled poll', () => {
	it.each<[string, ScriptedAnswer, IDataObject]>([
		[
			'too many requests, with the time to wait',
			{ status: 429, headers: { 'retry-after': '90' }, body: {} },
			{ cause: 'rate-limited', retryAfterMs: 90_000 },
		],
		['a PBX that is down', DOWN, { cause: 'temporarily-unavailable' }],
		['an account that is gone', { status: 404, body: {} }, { cause: 'configuration-invalid' }],
	])(
		"declares what n8n's back-off reads: %s",
		async (_, answer, failure) => {
			const poller = await start();
			await poller.publish();
			cdrs = answer;
			await expect(poller.poll()).rejects.toMatchObject({ failure });
		},
		60_000,
	);

	it('is known with its workflow, its time, and its error', async () => {
		const poller = await start({ pollTimes: { item: [{ mode: 'everyMinute' }] } });
		await poller.publish();
		cdrs = { status: 404, body: {} };
		await expect(poller.poll()).rejects.toThrow();
		const known = memoriesOf(RecordTriggerState);
		expect(known).toMatchObject([
			{
				workflowId: 'test-workflow',
				workflow: 'Test workflow',
				node: 'Call Records',
				intervalMs: 60_000,
				error: expect.stringContaining("couldn't be read"),
			},
		]);
		expect(Date.now() - Number(known[0]?.lastPollAt)).toBeLessThan(60_000);
	});
});

describe('a poll of a PBX that answers without a list', () => {
	it.each<[string, ScriptedAnswer]>([
		['null', { body: { data: null } }],
		['an empty object', { body: { data: {} } }],
		['nothing', { raw: (response) => void response.writeHead(204).end() }],
		['an error', { body: { status: 'error', message: 'db down', data: [] } }],
	])('stays where it was, and loses nothing: %s', async (_, broken) => {
		const poller = await start();
		await poller.poll();
		cdrs = broken;
		await expect(poller.poll()).rejects.toThrow(/has no list|reports an error/);
		cdrs = undefined;
		records = [record('a')];
		expect(idsOf(await poller.poll())).toEqual(['a']);
	});
});
