import { getExampleNumber } from 'libphonenumber-js/max';
import type { CountryCode } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/examples.mobile.json';
import type { N8nClient } from '../../tools/n8n';
import { eventually, SHORT } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { POLL_PATIENCE_MS } from '../support/e2e/polls';
import { ANSWERED, answeredCall, COMPANY, recordsOf } from '../support/e2e/callTable';
import type { TableCall } from '../support/e2e/callTable';
import { CrmKit, NIGHT_MS } from '../support/e2e/crmKit';
import { callWorkflow, errorOf } from '../support/e2e/chain';
import { importExample } from '../support/e2e/examples';
import { settle } from '../support/e2e/kits';
import { keyOf } from '../support/e2e/recordingLinks';
import { startAmong } from '../support/e2e/own';
import { REFUSAL } from '../support/services/service';
import { IS_RELEASE, times } from '../support/release';
import { Amocrm } from '../support/services/amocrm';
import { Bitrix24 } from '../support/services/bitrix24';
import type { CrmStandIn } from '../support/services/crm';

jest.setTimeout(2 * NIGHT_MS);

/** A CRM user who owns customers, and the employee with the extension 102. */
const OWNER = '77';
/** The employee with the extension 100. */
const ANNA = '88';
const amocrm = new Amocrm();
const bitrix24 = new Bitrix24();
/** Kits whose tasks are more than a call or a row that a person works on. */
const WITH_TASKS = ['amocrm', 'bitrix24'];
/** CRMs that take no call without a customer. */
const strict: CrmStandIn[] = [amocrm, bitrix24];
const crms: CrmStandIn[] = [amocrm, bitrix24];

let n8n: N8nClient;
let pbx: TestPbx;
let kits: CrmKit[];

const add = async (...calls: TableCall[]) =>
	await pbx.client.addRecords(calls.flatMap((call) => recordsOf(call)));

const MISSED = 'Incoming call for employee 100, not answered';
const CALLED = 'Outgoing call by employee 100, lasted 1 min';

/** One call of each kind, oldest first. */
const TABLE: TableCall[] = [
	{ from: '74951234567', ago: 9000, talk: 60, customer: 'Petrova', text: ANSWERED },
	{ to: '74951234567', ago: 8900, talk: 60, customer: 'Petrova', text: CALLED },
	// The check of the day passes it on again. It must not close the task of the later call, which was missed.
	{ from: '79160000002', ago: 8850, talk: 60, customer: 'Caller +79160000002', text: ANSWERED },
	// A new caller who redials at once.
	{ from: '79160000001', ago: 8805, customer: 'Caller +79160000001', text: MISSED },
	{ from: '79160000001', ago: 8800, talk: 60, customer: 'Caller +79160000001', text: ANSWERED },
	{ from: '79160000002', ago: 8700, customer: 'Caller +79160000002', text: MISSED },
	{ from: '74957654321', ago: 8690, customer: 'Owned', text: MISSED },
	{ from: '79160000003', ago: 8600, talk: 60, customer: 'Older', text: ANSWERED },
	{ from: 'anonymous', ago: 8500, talk: 60, customer: '', text: ANSWERED },
	{ to: '101', ago: 8400, talk: 60 },
	{ from: '+33655555555', ago: 8300, talk: 60, customer: 'Dupont', text: ANSWERED },
	{
		...{ from: '74951234567', ago: 8250, talk: 60, transferred: true },
		...{ customer: 'Petrova', text: ANSWERED, user: OWNER },
	},
	// The same national number in another country.
	{ from: '+79162345678', ago: 8200, talk: 60, customer: 'Caller +79162345678', text: ANSWERED },
	{ from: '79160000009', ago: 8100, talk: 60 },
];

const COUNTRIES = (
	'AE AT AU BE BR BY CA CH CN CZ DE DK EG ES FI FR GB GE GR HU IE IL IN IT JP KR KZ MX NG NL NO ' +
	'PL PT RO SA SE TR UA US ZA'
).split(' ') as CountryCode[];

/** amoCRM itself finds the contact of a call. If it compares ten digits, the example of Italy is that of China. */
const AMO = COUNTRIES.map((country) => (country === 'IT' ? 'CN' : country));

const NEVER = '+7 916 000-00-09';

/** Leaves two CRMs that differ most. All take the table; what follows takes long, and only a release runs it on all. */
function keepTwo(): void {
	const kept: CrmStandIn[] = crms.filter(({ kit }) => KEPT.includes(kit));
	kits = kits.filter(({ crm }) => kept.includes(crm));
	crms.splice(0, crms.length, ...kept);
}
const KEPT = ['bitrix24', 'amocrm'];

beforeAll(async () => {
	for (const crm of crms) {
		crm.addCustomer('Petrova', '8 (495) 123-45-67', OWNER);
		crm.addCustomer('Older', '+79160000003');
		crm.addCustomer('Newer', '+79160000003');
		crm.addCustomer('Owned', '+7 495 765 43 21', OWNER);
		crm.addCustomer('Dupont', '+33 6 55 55 55 55');
		crm.addCustomer('American', '+1 916 234 5678');
	}
	bitrix24.addClosedLead('Closed', '+79160000001');
	const bed = await startAmong(crms, { country: 'RU' });
	({ pbx } = bed);
	({ n8n } = bed);
	const key = await keyOf(n8n, 'a long random text');
	const links = await importExample(n8n, pbx, 'recording-link.json', [key]);
	await n8n.activate(links.id);
	kits = await Promise.all(
		crms.map(async (crm) => await CrmKit.setUp(n8n, crm, bed.credential, links)),
	);
});

/** Runs every kit's night; returns the errors. */
const night = async (some = kits) => await Promise.all(some.map(async (kit) => await kit.night()));
const none = () => kits.map(() => undefined);

/** What users see in all CRMs, without what is a CRM's own. */
const seen = () =>
	crms.map((crm) => ({ calls: crm.calls(), tasks: crm.tasks(), customers: crm.customers() }));

it('write nothing in a try-out', async () => {
	await add(...TABLE);
	const before = seen();
	for (const kit of kits) await kit.enter({ tryOut: true, neverLog: NEVER });
	for (const problems of await night()) expect(problems).toMatch(/^Missing: /);
	expect(seen()).toEqual(before);
});

it('write each call once, with its customer and the employee who talked', async () => {
	for (const kit of kits) await kit.enter({ tryOut: false });
	expect(await night()).toEqual(none());
	for (const crm of crms) {
		const logged = TABLE.filter(
			({ customer, text }) => text && (customer || !strict.includes(crm)),
		);
		// amoCRM chooses the contact itself, by the last ten digits.
		const chosen = crm === amocrm ? 'American' : 'Caller +79162345678';
		const expected = logged.map(({ customer, text, user = ANNA }) => [
			...[customer === 'Caller +79162345678' ? chosen : customer, text, user],
		]);
		const calls = crm.calls().map(({ customer, text, user }) => [customer, text, user]);
		expect([crm.kit, calls]).toEqual([crm.kit, expected]);
		expect(crm.customers().filter((name) => name.startsWith('Caller'))).toHaveLength(3);
	}
});

it('make a task of each missed caller who was not reached since', () => {
	for (const crm of crms)
		expect([crm.kit, crm.tasks()]).toEqual([
			crm.kit,
			[
				{ customer: 'Caller +79160000002', isOpen: true, user: ANNA },
				{ customer: 'Owned', isOpen: true, user: OWNER },
			],
		]);
});

it('change nothing when they run again, and prove that no call is missing', async () => {
	const before = seen();
	expect(await night()).toEqual(none());
	expect(seen()).toEqual(before);
	const [calls, whole] = [TABLE.filter(({ text }) => text).length, { missing: 0, doubled: 0 }];
	for (const kit of kits)
		expect(await kit.today()).toMatchObject({ state: 'done', calls, written: calls, ...whole });
});

it('write a call once that two executions bring at the same time', async () => {
	const number = '79160000701';
	const executions = kits.flatMap((kit) =>
		[1, 2].map(
			async () =>
				await callWorkflow(n8n, kit.of('log-calls'), [answeredCall('same@once', number)], NIGHT_MS),
		),
	);
	for (const execution of await Promise.all(executions)) expect(errorOf(execution)).toBeUndefined();
	for (const crm of crms) {
		const found = crm.customers().filter((name) => name === `Caller +${number}`);
		const written = crm.calls().filter(({ callId }) => callId === 'same@once');
		expect([crm.kit, found.length, written.length]).toEqual([crm.kit, 1, 1]);
	}
});

it('name a call that a CRM refuses, write all others, and add exactly this one later', async () => {
	if (!IS_RELEASE) keepTwo();
	const refused = { from: '79160000021', ago: 7000, talk: 60 };
	await add(refused, { from: '74951234567', ago: 6900, talk: 120 });
	crms.forEach((crm) => crm.refuse('79160000021'));
	const errors = await night();
	for (const error of errors)
		expect(error).toMatch(new RegExp(`^Call of \\+79160000021 \\(.*\\): .*${REFUSAL}`));
	const after = (crm: CrmStandIn) =>
		crm
			.calls()
			.slice(-1)
			.map(({ text }) => text);
	for (const crm of crms) expect(after(crm)).toEqual([ANSWERED.replace('1 min', '2 min')]);

	const before = seen();
	crms.forEach((crm) => crm.recover());
	expect(await night()).toEqual(none());
	crms.forEach((crm, index) => {
		expect(crm.calls()).toHaveLength((before[index]?.calls.length ?? 0) + 1);
		expect(crm.calls().at(-1)).toMatchObject({ customer: 'Caller +79160000021', text: ANSWERED });
	});
});

it('close the open tasks of a customer who was reached, and leave to people what they changed', async () => {
	for (const crm of crms) crm.removeTask('Owned');
	const deleted = crms.map((crm) => crm.calls().length);
	for (const crm of crms) crm.removeCall('Older');
	await add({ to: '79160000002', ago: 6000, talk: 60 }, { to: '74957654321', ago: 5900, talk: 60 });
	expect(await night()).toEqual(none());
	crms.forEach((crm, index) => {
		const tasks = crm.tasks().map(({ customer, isOpen }) => [customer, isOpen]);
		expect([crm.kit, tasks]).toEqual([crm.kit, [['Caller +79160000002', false]]]);
		expect(crm.calls()).toHaveLength((deleted[index] ?? 0) + 1);
	});
});

it('find the customer anew who was deleted, and create none if told so', async () => {
	for (const crm of crms) crm.removeCustomer('Petrova');
	// The task of the first one is completed already, and stays as it is.
	await add(
		{ from: '79160000002', ago: 5100, talk: 60 },
		{ from: '74951234567', ago: 5000, talk: 60 },
	);
	expect(await night()).toEqual(none());
	for (const crm of crms) {
		expect([crm.kit, crm.calls().at(-1)]).toMatchObject([
			crm.kit,
			{ customer: 'Caller +74951234567', text: ANSWERED },
		]);
	}
	for (const kit of kits) await kit.enter({ createCallers: 'incoming' });
	await add({ to: '79160000031', ago: 4000, talk: 60 }, { from: '79160000032', ago: 3900 });
	expect(await night()).toEqual(none());
	for (const crm of crms) {
		expect(crm.customers()).not.toContain('Caller +79160000031');
		expect(crm.customers()).toContain('Caller +79160000032');
	}

	for (const kit of kits) await kit.enter({ createCallers: 'no' });
	await add({ from: '79160000033', ago: 3800 });
	expect(await night()).toEqual(none());
	await add({ to: '79160000033', ago: 3700, talk: 60 });
	expect(await night()).toEqual(none());
	for (const crm of crms) {
		expect(crm.customers()).not.toContain('Caller +79160000033');
		const open = crm.tasks().filter(({ customer, isOpen }) => !customer && isOpen);
		expect([crm.kit, open]).toEqual([crm.kit, []]);
	}
});

it('write nothing twice where a response is lost or a CRM asks for patience', async () => {
	const before = crms.map((crm) => crm.calls().length);
	for (const kit of kits) await kit.enter({ createCallers: 'yes' });
	await add({ from: '79160000041', ago: 3000 });
	for (const crm of crms) crm.loseAnswers();
	await night();
	// At the latest, the next night makes good what is missing.
	expect(await night()).toEqual(none());
	crms.forEach((crm, index) => {
		expect(crm.customers().filter((name) => name.endsWith('0041'))).toHaveLength(1);
		expect(crm.calls()).toHaveLength((before[index] ?? 0) + 1);
		expect(
			crm
				.tasks()
				.filter(({ isOpen }) => isOpen)
				.at(-1)?.customer,
		).toMatch(/0041$/);
		crm.fail(429, { times: 1, headers: { 'retry-after': '1' } });
	});
	await add({ from: '79160000041', ago: 2000, talk: 60 });
	expect(await night()).toEqual(none());
	for (const crm of crms) expect(crm.tasks().at(-1)).toMatchObject({ isOpen: false });
});

it('leave a task open that a person has reopened since', async () => {
	amocrm.reopenTask();
	expect(await night()).toEqual(none());
	expect(amocrm.tasks().at(-1)).toMatchObject({ isOpen: true });
});

it('make a task that failed the next night, and leave its call as people changed it', async () => {
	await add({ from: '79160000703', ago: 7500 }, { from: '79160000704', ago: 7400 });
	const some = kits.filter(({ crm }) => WITH_TASKS.includes(crm.kit));
	for (const { crm } of some) crm.refuse('Call back +7916000070');
	for (const error of await night(some))
		expect(error).toMatch(/^Call of \+79160000703 .*\nCall of \+79160000704 /);
	for (const { crm } of some) {
		crm.removeCall('Caller +79160000704');
		crm.recover();
	}
	await night(some);
	for (const { crm } of some) {
		const of703 = ({ customer }: { customer: string }) => customer === 'Caller +79160000703';
		expect([crm.kit, crm.tasks().filter(of703)]).toMatchObject([crm.kit, [{ isOpen: true }]]);
		expect(crm.calls().map(({ customer }) => customer)).not.toContain('Caller +79160000704');
	}
});

it('add a new caller once who calls twice at the same time, in two executions', async () => {
	for (let turn = 0; turn < times(1, 10); turn += 1) {
		const number = String(79160000600 + turn);
		const ids = [`one@${number}`, `other@${number}`];
		const executions = kits.flatMap((kit) =>
			ids.map(
				async (id) =>
					await callWorkflow(n8n, kit.of('log-calls'), [answeredCall(id, number)], NIGHT_MS),
			),
		);
		for (const execution of await Promise.all(executions))
			expect(errorOf(execution)).toBeUndefined();
		for (const crm of crms) {
			const found = crm.customers().filter((name) => name === `Caller +${number}`);
			const written = crm.calls().filter(({ callId }) => ids.includes(callId));
			expect([crm.kit, found.length, written.length]).toEqual([crm.kit, 1, 2]);
		}
	}
});

if (IS_RELEASE)
	it('find callers from 40 countries, and create none', async () => {
		const numbers = COUNTRIES.map((country) => getExampleNumber(country, examples));
		for (const crm of crms)
			for (const one of numbers)
				crm.addCustomer(String(one?.country), one?.formatInternational() ?? '');
		const before = crms.map((crm) => [crm.customers().length, crm.calls().length] as const);
		await add(
			...numbers.map((one, index) => ({ from: String(one?.number), ago: 1900 - index, talk: 60 })),
		);
		expect(await night()).toEqual(none());
		crms.forEach((crm, index) => {
			const [customers, calls] = before[index] ?? [];
			expect(crm.customers()).toHaveLength(customers ?? 0);
			const written = crm.calls().slice(calls);
			expect([crm.kit, ...written.map(({ customer }) => customer)]).toEqual([
				crm.kit,
				...(crm === amocrm ? AMO : COUNTRIES),
			]);
		});
	});

it('show a call while it rings, and complete the same entry', async () => {
	for (const kit of kits) {
		await kit.publish('pop-up');
		await kit.publish('log-calls');
	}
	const call = await pbx.client.call({ from: '79160000051', to: COMPANY, ring_seconds: 60 });
	const showing = crms.filter((crm) => crm !== amocrm);
	const entry = (crm: CrmStandIn) => crm.calls().filter(({ callId }) => callId === call.bridge_id);
	await eventually(() => {
		// amoCRM shows a pop-up, and the call when it has ended.
		expect(amocrm.popUps).toEqual([
			{ type: 'phone_call', phone_number: '+79160000051', users: [77, 88] },
		]);
		for (const crm of showing)
			expect([crm.kit, entry(crm)]).toMatchObject([
				crm.kit,
				[{ customer: 'Caller +79160000051', text: 'Incoming call, ringing' }],
			]);
	});
	pbx.sandbox.exchange.get(String(call.id))?.hangUp();
	await eventually(() => {
		for (const crm of crms)
			expect([crm.kit, entry(crm)]).toMatchObject([crm.kit, [{ text: MISSED, user: ANNA }]]);
	}, POLL_PATIENCE_MS);
	await pbx.client.call({ ...SHORT, from: '79160000009', to: COMPANY });
	await settle(n8n);
	for (const crm of showing) expect(crm.customers()).not.toContain('Caller +79160000009');
});

it('add the recording and the review to the entry of the call, once', async () => {
	const call = await pbx.client.call({ ...SHORT, from: '74951234567', to: COMPANY });
	const callId = String(call.bridge_id);
	const entries = () => crms.map((crm) => crm.calls().find((one) => one.callId === callId));
	const bodies = () => entries().map((entry) => entry?.body);
	await eventually(() => {
		for (const entry of entries()) expect(entry?.text).toMatch(/^Incoming call answered/);
	}, POLL_PATIENCE_MS);
	await settle(n8n);
	const review = {
		...{ callId, at: new Date().toISOString(), customerNumber: '+74951234567' },
		...{ summary: 'Wants <2> chairs', promises: 'employee: Call' },
	};
	const addAll = async () => {
		const errors = kits.map(async (kit) => [
			await kit.run('recording', 'Every Night'),
			errorOf(await callWorkflow(n8n, kit.of('review'), [review])),
		]);
		expect((await Promise.all(errors)).flat().filter(Boolean)).toEqual([]);
	};
	await addAll();
	const once = bodies();
	for (const body of once) {
		expect(body).toMatch(/chairs/);
		expect(body).toMatch(/\/webhook\/[^"]*call=|RIFF/);
		expect(body).not.toContain('<2>');
	}
	await addAll();
	expect(bodies()).toEqual(once);
});
