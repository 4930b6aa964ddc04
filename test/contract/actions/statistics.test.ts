import type { INodeParameters } from 'n8n-workflow';
import { getGlobalState, setGlobalState } from 'n8n-workflow';

import type { PastCall } from '../../support/history/calls';
import { recordCalls } from '../../support/history/records';
import { startPbx } from '../../support/sandbox';
import type { PbxUnderTest } from '../../support/sandbox';

const ZONE = 'Europe/Berlin';
const HOUR = 3600;
const DAY = 24 * HOUR;

const before = getGlobalState();
beforeAll(() => setGlobalState({ defaultTimezone: ZONE }));
afterAll(() => setGlobalState(before));

let pbx: PbxUnderTest;
afterEach(async () => await pbx.sandbox.close());

const statistics = async (parameters: INodeParameters) =>
	await pbx.items('call:getStatistics', parameters);

describe('Get Statistics', () => {
	const NOON = Date.UTC(2026, 9, 10, 12) / 1000;
	const range = { period: 'range', after: NOON - 2 * HOUR, before: NOON + 2 * HOUR };
	const call = (second: number, more: Partial<PastCall> = {}): PastCall => ({
		...{ id: `call-${second}`, type: 'incoming', outcome: 'noAnswer', customer: '19175550111' },
		...{ line: '12125550100', employees: ['101'], at: NOON + second, talk: 0 },
		...more,
	});
	const callBack = (second: number, more: Partial<PastCall> = {}) =>
		call(second, { type: 'outgoing', outcome: 'answered', talk: 60, ...more });
	const started = async (...calls: PastCall[]) => {
		pbx = await startPbx();
		recordCalls(pbx, calls);
	};

	it('has one item with zeros for a period without calls, and no group', async () => {
		await started();
		expect(await statistics(range)).toEqual([
			{
				...{ calls: 0, answered: 0, missed: 0, voicemail: 0, answeredPercent: null },
				...{ talkSeconds: 0, averageTalkSeconds: null, longestTalkSeconds: 0 },
				...{ callers: 0, missedCallers: 0, calledBack: 0, cameThrough: 0 },
				medianSecondsToCallBack: null,
			},
		]);
		expect(await statistics({ ...range, groupBy: ['hour'] })).toEqual([]);
	});

	it('says from the last missed call of a group how soon a caller was called back, also after the period', async () => {
		await started(
			...[call(0), call(600), callBack(1260), call(3700), callBack(3 * HOUR + 60)],
			...[call(60, { customer: '19175550122' }), callBack(6 * DAY, { customer: '19175550122' })],
			...[call(90, { customer: '19175550133' }), callBack(8 * DAY, { customer: '19175550133' })],
		);
		const figures = ['hour', 'missedCallers', 'calledBack', 'medianSecondsToCallBack'];
		const seen = (await statistics({ ...range, groupBy: ['hour'] })).map((item) =>
			figures.map((name) => item[name]),
		);
		expect(seen).toEqual([
			[14, 3, 2, Math.round((600 + 6 * DAY - 120) / 2)],
			[15, 1, 1, 2 * HOUR - 100],
		]);
	});

	it('joins the forms of a number with a country, and filters only what it counts', async () => {
		await started(
			...[call(0), call(60, { customer: '+19175550111' }), call(90, { customer: '9175550111' })],
			callBack(300, { customer: '9175550111' }),
		);
		pbx.credential.write({ country: 'US' });
		const filters = { callType: ['incoming'] };
		const items = await statistics({ ...range, filters, groupBy: ['companyNumber'] });
		expect(items).toMatchObject([
			{ companyNumber: '+12125550100', calls: 3, callers: 1, missedCallers: 1, calledBack: 1 },
		]);
	});

	it('counts voicemail as missed unless told otherwise', async () => {
		await started(call(0, { outcome: 'voicemail' }));
		expect(await statistics(range)).toMatchObject([{ voicemail: 1, missed: 1 }]);
		const options = { countVoicemail: false };
		expect(await statistics({ ...range, options })).toMatchObject([{ voicemail: 1, missed: 0 }]);
	});

	it('takes Group By from an agent as text, in order, and sorts by it', async () => {
		await started(call(0), call(3600, { employees: ['100'] }), call(60, { employees: ['100'] }));
		const groupBy = '={{ "employee, hour" }}';
		const items = await statistics({ ...range, groupBy });
		expect(items.map(({ employee, hour }) => `${String(employee)} ${String(hour)}`)).toEqual([
			...['100 14', '100 15', '101 14'],
		]);
		expect(await statistics({ ...range, groupBy: '={{ "" }}' })).toHaveLength(1);
	});

	it('returns 1,000 groups, and refuses more', async () => {
		const calls = (count: number) =>
			Array.from({ length: count }, (_, index) => call(index, { employees: [`${1000 + index}`] }));
		await started(...calls(1000));
		const groupBy = ['employee'];
		expect(await statistics({ ...range, groupBy })).toHaveLength(1000);
		recordCalls(pbx, [call(2000, { employees: ['999'] })]);
		const { error } = await pbx.run('call:getStatistics', { ...range, groupBy });
		expect(error?.message).toContain('There are more than 1000 groups');
		expect(error?.description).toContain("Choose a shorter 'Period'");
	});

	it.each(['call:getStatistics', 'call:getMany'])(
		'%s refuses a time zone that does not exist, before anything is sent',
		async (operation) => {
			await started();
			setGlobalState({ defaultTimezone: 'Mars/Phobos' });
			const { error } = await pbx.run(operation, { period: 'today' });
			setGlobalState({ defaultTimezone: ZONE });
			expect(error?.message).toContain('time zone "Mars/Phobos" doesn\'t exist');
			expect(error?.description).toContain('workflow settings');
			expect(pbx.sandbox.pbx.requests.list()).toEqual([]);
		},
	);
});
