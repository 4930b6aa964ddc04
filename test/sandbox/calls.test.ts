import type { CallOrder } from '../../sandbox';
import { inShort, Listening } from './support/listening';

const pbx = new Listening();
beforeAll(async () => await pbx.open());
beforeEach(async () => await pbx.renew());
afterAll(async () => await pbx.close());

test('an answered call walks both legs and ends with NORMAL_CLEARING', async () => {
	const { call, events } = await pbx.call({ to: '100' });
	expect(call.result).toBe('answered');
	expect(inShort(events)).toEqual([
		'CREATE inbound 100@demo.sandbox.local',
		'CREATE outbound 100',
		'ANSWER outbound 100',
		'ANSWER inbound 100',
		'DESTROY inbound 100 NORMAL_CLEARING',
		'DESTROY outbound 100 NORMAL_CLEARING',
	]);
});

test('when the called side hangs up, its leg ends first', async () => {
	const { events } = await pbx.call({ hangup_by: 'callee' });
	expect(inShort(events).slice(-2)).toEqual([
		'DESTROY outbound 100 NORMAL_CLEARING',
		'DESTROY inbound 100 NORMAL_CLEARING',
	]);
});

test('of several devices the first to answer wins, the others lose the race', async () => {
	const { call } = await pbx.call({ to: '101' });
	expect(call.view().legs.map((leg) => [leg.device, leg.hangup_cause])).toEqual([
		[null, 'NORMAL_CLEARING'],
		['Desk phone', 'NORMAL_CLEARING'],
		['Softphone', 'LOSE_RACE'],
	]);
});

test('answered_by names the device that answers', async () => {
	const softphone = pbx.account.user({ extension: '101' })?.devices[1]?.id ?? '';
	const { call } = await pbx.call({ to: '101', answered_by: softphone });
	expect(call.bridged?.device?.name).toBe('Softphone');
});

test('strategy single rings one device after another (§2.3 rule 3)', async () => {
	const softphone = pbx.account.user({ extension: '102' })?.devices[1]?.id ?? '';
	const { call } = await pbx.call({ to: '102', answered_by: softphone, ring_seconds: 5 });
	expect(
		call.legs.map(({ created, ended, cause }) => [
			created,
			cause === 'NO_ANSWER' ? ended : undefined,
		]),
	).toEqual([
		[0, undefined],
		[2, 12],
		[12, undefined],
	]);
});

test.each<[Partial<CallOrder>, string, string, string]>([
	[{ outcome: 'busy' }, 'busy', 'USER_BUSY', 'sip:486'],
	[{ outcome: 'declined' }, 'declined', 'CALL_REJECTED', 'sip:603'],
	[{ outcome: 'no-answer' }, 'no-answer', 'NO_ANSWER', 'sip:480'],
	[{ outcome: 'cancelled' }, 'cancelled', 'ORIGINATOR_CANCEL', 'sip:487'],
])('%j ends both legs with its cause, unanswered', async (order, result, cause, code) => {
	const { call, events } = await pbx.call(order);
	expect(call.result).toBe(result);
	expect(inShort(events)).toEqual([
		'CREATE inbound 100@demo.sandbox.local',
		'CREATE outbound 100',
		`DESTROY outbound 100 ${cause}`,
		`DESTROY inbound 100 ${cause}`,
	]);
	for (const { body } of events.slice(2)) {
		expect(body.args).toMatchObject({
			'Hangup-Code': code,
			'Billing-Seconds': '0',
			Disposition: 'failure',
		});
	}
});

test('no answer lasts as long as the employee lets it ring', async () => {
	const { call } = await pbx.call({ to: '101', outcome: 'no-answer' });
	expect(call.first.ended).toBe(15);
});

test('to voicemail: the mailbox of the callflow answers and takes the message', async () => {
	const { call, events } = await pbx.call({
		to: '74950000100',
		outcome: 'voicemail',
		talk_seconds: 7,
	});
	expect(call.result).toBe('voicemail');
	expect(inShort(events)).toEqual([
		'CREATE inbound 74950000100@demo.sandbox.local',
		'CREATE outbound 100',
		'DESTROY outbound 100 NO_ANSWER',
		'ANSWER inbound 74950000100',
		'DESTROY inbound 74950000100 NORMAL_CLEARING',
	]);
	expect(call.steps).toContain('mailbox of 100 takes a message');
});

test('to voicemail without a mailbox in the callflow: that of the employee who rang last', async () => {
	expect((await pbx.call({ to: '100', outcome: 'voicemail' })).call.result).toBe('voicemail');
	expect((await pbx.call({ to: '102', outcome: 'voicemail' })).call.result).toBe('no-answer');
});

test('nobody answers in time: the callflow goes on to the next employee, then to the mailbox', async () => {
	const { call } = await pbx.call({ to: '74950000400', ring_seconds: 12, answered_by: '102' });
	expect(call.result).toBe('voicemail');
	expect(call.steps).toEqual([
		'callflow Sales group',
		'user 101 rings simultaneous',
		'user 102 rings single',
		'mailbox of 101 takes a message',
	]);
});

test('a number without callflow is unroutable', async () => {
	const { call, events } = await pbx.call({ to: '70000000000' });
	expect(call.result).toBe('unroutable');
	expect(inShort(events)).toHaveLength(2);
});

test('module callflow goes on in another callflow; callflows in a circle come to an end', async () => {
	expect((await pbx.call({ to: '74950000500' })).call.steps).toContain(
		'goes to callflow Sales group',
	);
	const flow = { module: 'callflow', data: { id: 'circle' }, children: {} };
	const circle = {
		id: 'circle',
		name: 'Circle',
		numbers: ['555'],
		patterns: [],
		featurecode: false,
		fakenumber: false,
		flow,
	};
	pbx.account.callflows.put(circle);
	expect((await pbx.call({ to: '555' })).call.steps.at(-1)).toBe('callflows lead in a circle');
});

test('module play answers, then the callflow goes on', async () => {
	const { call, events } = await pbx.call({ to: '74950000300', outcome: 'voicemail' });
	expect(call.steps).toContain('plays after-hours.wav');
	expect(inShort(events).filter((event) => event.startsWith('ANSWER'))).toEqual([
		'ANSWER inbound 74950000300',
	]);
	expect(call.result).toBe('voicemail');
});

test('a missing employee, device, mailbox, sound or module leads to the child', async () => {
	const end = { module: 'play', data: { filename: 'welcome.wav' }, children: {} };
	for (const module of ['user', 'device', 'voicemail', 'callflow', 'play', 'fax']) {
		const flow = { module, data: { id: 'none', filename: 'none' }, children: { _: end } };
		const callflow = {
			id: 'x',
			name: 'X',
			numbers: ['556'],
			patterns: [],
			featurecode: false,
			fakenumber: false,
			flow,
		};
		pbx.account.callflows.put(callflow);
		expect((await pbx.call({ to: '556' })).call.result).toBe('played');
	}
});

test('an employee calls another one: the inbound leg is that of a device', async () => {
	const { events } = await pbx.call({ from: '100', to: '101', answered_by: '101' });
	const vars = events[0]?.body.args['Custom-Channel-Vars'];
	expect(vars).toMatchObject({
		'Originator-Type': 'device',
		Username: 'user_100_1',
		'Global-Resource': 'false',
	});
});

test('an employee calls outside: the outbound leg is that of the network', async () => {
	const { call, events } = await pbx.call({ from: '100', to: '79995554433' });
	expect(call.result).toBe('answered');
	expect(events[1]?.body.args).toMatchObject({
		'Callee-ID-Number': '79995554433',
		'Custom-Channel-Vars': { 'Global-Resource': 'true' },
	});
});

test('seconds are those of the call, whatever the speed', async () => {
	const { call } = await pbx.call({ ring_seconds: 7, talk_seconds: 61, speed: 50_000 });
	expect(call.view().legs[1]).toMatchObject({
		ringing_seconds: 7,
		billing_seconds: 61,
		duration_seconds: 68,
	});
});

test('hanging up while it rings cancels the call; while people talk it ends it', async () => {
	for (const [ring, talk, result] of [
		[1000, 1, 'cancelled'],
		[0, 100_000, 'answered'],
	] as const) {
		const order = {
			from: '1',
			to: '100',
			ring_seconds: ring,
			talk_seconds: talk,
			speed: 10,
			outcome: 'answered',
			hangup_by: 'caller',
		};
		const call = pbx.sandbox.exchange.place({
			...order,
			ring_seconds: Math.min(ring, 19),
		} as CallOrder);
		await new Promise((resolve) => setTimeout(resolve, 50));
		call?.hangUp();
		if (call) await pbx.sandbox.exchange.settled(call, 'delivered');
		expect(call?.result).toBe(result);
		expect(call?.legs.every(({ state }) => state === 'hangup')).toBe(true);
	}
});

test('the recording belongs to the legs that talked', async () => {
	const { call } = await pbx.call({ to: '101' });
	const records = [...pbx.account.cdrs.range(0, Number.MAX_SAFE_INTEGER - 1)];
	expect(records.map(({ HANGUP_CAUSE, REC_FILE }) => [HANGUP_CAUSE, REC_FILE]).sort()).toEqual([
		['LOSE_RACE', ''],
		['NORMAL_CLEARING', call.recordingFile],
		['NORMAL_CLEARING', call.recordingFile],
	]);
});
