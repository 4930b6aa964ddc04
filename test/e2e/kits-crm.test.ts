import type { N8nClient, N8nProcess, Workflow } from '../../tools/n8n';
import { startN8n } from '../../tools/n8n';
import { eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { importKit } from '../support/e2e/kits';
import { Amocrm } from '../support/services/amocrm';
import { Bitrix24 } from '../support/services/bitrix24';
import { GoogleSheets, SPREADSHEET } from '../support/services/googleSheets';
import { Hubspot } from '../support/services/hubspot';
import { startInternet } from '../support/services/internet';
import type { Internet } from '../support/services/internet';
import { Pipedrive } from '../support/services/pipedrive';

const SHORT = { ring_seconds: 0, talk_seconds: 1, speed: 100, wait: 'delivered' } as const;
const COMPANY = '74950000100';
const ANNA = '74951234567';
const NEWCOMER = '79160000001';
const MISSED = '79160000002';
const TWINS = '79160000003';
const LATE = '79160000004';
const RECORDINGS = 'https://calls.example.com/recording';

const hubspot = new Hubspot();
const pipedrive = new Pipedrive();
const sheets = new GoogleSheets(['Calls', 'Customers', 'Call Back']);
const amocrm = new Amocrm();
const bitrix24 = new Bitrix24();
const services = [hubspot, pipedrive, sheets, amocrm, bitrix24];

let internet: Internet;
let server: N8nProcess;
let n8n: N8nClient;
let pbx: TestPbx;
let kits: Workflow[];

/** Everything that the services hold, for a comparison. */
const state = () =>
	structuredClone({
		contacts: hubspot.records.contacts,
		calls: hubspot.records.calls,
		tasks: hubspot.records.tasks,
		persons: pipedrive.persons,
		activities: pipedrive.activities,
		rows: sheets.read('Calls'),
		customers: sheets.read('Customers'),
		amoContacts: amocrm.contacts,
		amoCalls: amocrm.calls,
		amoTasks: amocrm.tasks,
		bitrixCustomers: bitrix24.customers,
		bitrixActivities: bitrix24.activities,
	});

const counts = () =>
	Object.fromEntries(Object.entries(state()).map(([name, all]) => [name, all.length]));

const incoming = async (from: string, more: object = {}) =>
	await pbx.client.call({ ...SHORT, from, to: COMPANY, ...more });

/** Runs a kit from one of its nodes, as the button in the editor does, to its end. */
async function runFrom(kit: Workflow, trigger: string): Promise<void> {
	const { executionId = '' } = await n8n.runManually(kit, trigger);
	const execution = await eventually(async () => {
		const found = await n8n.getExecution(executionId);
		expect(['success', 'error']).toContain(found.status);
		return found;
	});
	expect(execution.data.resultData.error).toBeUndefined();
}

beforeAll(async () => {
	hubspot.addContact({ lastname: 'Petrova', phone: '+7 495 123-45-67', hubspot_owner_id: '77' });
	hubspot.addContact({ lastname: 'Older', phone: TWINS, lastmodifieddate: '2026-01-01' });
	hubspot.addContact({ lastname: 'Newer', mobilephone: TWINS, lastmodifieddate: '2026-02-02' });
	pipedrive.addPerson('Petrova', '+7 (495) 123-45-67', 77);
	pipedrive.addPerson('First', TWINS, 1);
	pipedrive.addPerson('Second', TWINS, 1);
	amocrm.addContact('Petrova', '8 (495) 123-45-67', 77);
	amocrm.addContact(`Asks for ${TWINS}`, '+7 812 000-00-00', 1);
	amocrm.addContact('First', TWINS, 1);
	bitrix24.addCustomer('COMPANY', 'Petrova', '8 495 123-45-67', 77);
	bitrix24.addCustomer('LEAD', 'First', TWINS, 1);
	bitrix24.addCustomer('CONTACT', 'Second', TWINS, 1);
	[internet, pbx] = await Promise.all([startInternet(services), startPbx()]);
	server = await startN8n({ env: internet.env });
	n8n = await server.signIn();
	const oauthTokenData = {
		...{ access_token: sheets.token, refresh_token: sheets.refreshToken, token_type: 'Bearer' },
		...{ expires_in: 3599, scope: 'https://www.googleapis.com/auth/spreadsheets' },
	};
	const credentials = [
		await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account),
		await n8n.createCredential('hubspotAppToken', 'HubSpot', { appToken: hubspot.token }),
		await n8n.createCredential('pipedriveApi', 'Pipedrive', { apiToken: pipedrive.token }),
		await n8n.createCredential('httpBearerAuth', 'amoCRM', { token: amocrm.token }),
		await n8n.createCredential('googleSheetsOAuth2Api', 'Google', {
			...{ clientId: 'client', clientSecret: 'secret', oauthTokenData },
		}),
	];
	const spreadsheet = `https://docs.google.com/spreadsheets/d/${SPREADSHEET}/edit#gid=0`;
	const settings = {
		recordingLink: `=${RECORDINGS}/{{ $json.callId }}`,
		account: amocrm.address,
		webhook: bitrix24.webhook,
	};
	const choices = { credentials, spreadsheet, settings };
	kits = [
		await importKit(n8n, 'crm/hubspot.json', choices),
		await importKit(n8n, 'crm/pipedrive.json', choices),
		await importKit(n8n, 'crm/google-sheets.json', choices),
		await importKit(n8n, 'crm/amocrm.json', choices),
		await importKit(n8n, 'crm/bitrix24.json', choices),
	];
	const setUps = kits.filter(({ nodes }) => nodes.some(({ name }) => name === 'Set Up'));
	for (const kit of setUps) await runFrom(kit, 'Set Up');
	for (const { id } of kits) await n8n.activate(id);
});

afterAll(async () => {
	await server?.dispose();
	await Promise.all([internet?.close(), pbx?.sandbox.close()]);
});

it('write each call once, with its customer, also where the service first refuses', async () => {
	services.forEach((service) => service.fail(429, { times: 1, headers: { 'retry-after': '1' } }));
	await incoming(ANNA);
	await incoming(NEWCOMER);
	await incoming(NEWCOMER);
	await incoming(TWINS);
	await incoming(MISSED, { outcome: 'cancelled' });
	await incoming('anonymous');
	await pbx.client.call({ ...SHORT, from: '100', to: ANNA });
	await pbx.client.call({ ...SHORT, from: '100', to: '101' });
	await eventually(() => {
		expect(counts()).toEqual({
			...{ contacts: 5, calls: 7, tasks: 1 },
			...{ persons: 5, activities: 7 },
			...{ rows: 7, customers: 4 },
			...{ amoContacts: 5, amoCalls: 6, amoTasks: 1 },
			...{ bitrixCustomers: 5, bitrixActivities: 6 },
		});
	}, 120_000);
});

it('put each call where it belongs', async () => {
	await settle();
	const { calls, tasks, activities, rows } = state();
	const contactOf = (number: string) =>
		hubspot.records.contacts
			.filter(({ properties }) => [properties.phone, properties.mobilephone].includes(number))
			.at(-1)?.id;
	const titles = calls.map(({ properties, contacts }) => [properties.hs_call_title, contacts]);

	const recorded = calls.filter(({ properties }) =>
		properties.hs_call_recording_url?.startsWith(`${RECORDINGS}/`),
	);

	expect(recorded).toHaveLength(6);
	expect(activities.filter(({ note }) => note?.includes(`"${RECORDINGS}/`))).toHaveLength(6);
	expect(rows.filter(({ recording }) => String(recording).startsWith(RECORDINGS))).toHaveLength(6);
	expect(titles).toContainEqual(['Incoming call: talked for 1 s, employee 100', ['1001']]);
	expect(titles).toContainEqual(['Outgoing call: talked for 1 s, employee 100', ['1001']]);
	expect(calls.filter(({ contacts }) => contacts[0] === contactOf(NEWCOMER))).toHaveLength(2);
	expect(calls.filter(({ contacts }) => contacts[0] === contactOf(TWINS))).toHaveLength(1);
	expect(calls.filter(({ contacts }) => contacts.length === 0)).toHaveLength(1);
	expect(tasks).toMatchObject([
		{
			contacts: [contactOf(MISSED)],
			properties: { hs_task_subject: `Call back ${MISSED}`, hs_task_status: 'NOT_STARTED' },
		},
	]);
	const open = activities.filter(({ done }) => !done);
	expect(open).toMatchObject([{ subject: `Call back ${MISSED}`, type: 'call' }]);
	const owners = activities.map(({ participants, owner_id }) => [
		pipedrive.persons.find(({ id }) => id === participants?.[0]?.person_id)?.name,
		owner_id,
	]);
	expect(owners).toContainEqual(['Petrova', 77]);
	expect(owners).toContainEqual(['First', 1]);
	expect(owners.filter(([name]) => name === undefined)).toHaveLength(1);
	const { at } = rows.filter(({ customerNumber }) => customerNumber === NEWCOMER).at(-1) ?? {};
	expect(sheets.read('Customers')).toContainEqual({ customerNumber: NEWCOMER, lastCallAt: at });
	expect(rows.map(({ customerNumber }) => customerNumber).sort()).toEqual(
		['', ANNA, ANNA, NEWCOMER, NEWCOMER, MISSED, TWINS].sort(),
	);
});

it('put each call at its customer in amoCRM', () => {
	const nameOf = (wanted: number) => amocrm.contacts.find(({ id }) => id === wanted)?.name;
	const calls = amocrm.calls.map((call) => [
		nameOf(call.contactId),
		call.direction,
		call.call_status,
		call.responsible_user_id,
	]);

	expect(calls).toContainEqual(['Petrova', 'inbound', 4, 77]);
	expect(calls).toContainEqual(['Petrova', 'outbound', 4, 77]);
	expect(calls).toContainEqual(['First', 'inbound', 4, 1]);
	expect(calls).toContainEqual([`Caller ${MISSED}`, 'inbound', 6, undefined]);
	expect(calls.filter(([name]) => name === `Caller ${NEWCOMER}`)).toHaveLength(2);
	expect(amocrm.calls.filter(({ link }) => link?.startsWith(`${RECORDINGS}/`))).toHaveLength(5);
	const [task] = amocrm.tasks;
	expect(task).toMatchObject({ text: `Call back ${MISSED}`, is_completed: false });
	expect(nameOf(task?.entity_id ?? 0)).toBe(`Caller ${MISSED}`);
});

it('put each call at its customer in Bitrix24', () => {
	const nameOf = (wanted: number) => bitrix24.customers.find(({ id }) => id === wanted)?.name;
	const activities = bitrix24.activities.map((activity) => [
		nameOf(activity.OWNER_ID),
		activity.SUBJECT,
		activity.COMPLETED,
		activity.RESPONSIBLE_ID,
	]);

	const incomingCall = 'Incoming call: talked for 1 s, employee 100';
	const outgoingCall = 'Outgoing call: talked for 1 s, employee 100';
	expect(activities).toContainEqual(['Petrova', incomingCall, 'Y', 77]);
	expect(activities).toContainEqual(['Petrova', outgoingCall, 'Y', 77]);
	expect(activities).toContainEqual(['Second', incomingCall, 'Y', 1]);
	expect(activities).toContainEqual([`Caller ${MISSED}`, `Call back ${MISSED}`, 'N', 1]);
	expect(activities.filter(([name]) => name === `Caller ${NEWCOMER}`)).toHaveLength(2);
	const links = bitrix24.activities.filter(({ DESCRIPTION }) =>
		DESCRIPTION.includes(`"${RECORDINGS}/`),
	);
	expect(links).toHaveLength(5);
});

it('close what a missed call opened when the customer is called back', async () => {
	const [, , spreadsheet] = kits as [Workflow, Workflow, Workflow];
	sheets.expire();
	await runFrom(spreadsheet, 'Every 10 Minutes');
	expect(sheets.read('Call Back')).toMatchObject([
		{ customerNumber: MISSED, status: 'call back', missedCalls: 1 },
	]);

	hubspot.loseAnswer('/calls/batch/upsert');
	sheets.loseAnswer(':append');
	await pbx.client.call({ ...SHORT, from: '100', to: MISSED });
	await eventually(() => {
		expect(hubspot.records.tasks.map(({ properties }) => properties.hs_task_status)).toEqual([
			'COMPLETED',
		]);
		expect(pipedrive.activities.filter(({ done }) => !done)).toEqual([]);
		expect(amocrm.tasks.map(({ is_completed }) => is_completed)).toEqual([true]);
		expect(bitrix24.activities.filter(({ COMPLETED }) => COMPLETED === 'N')).toEqual([]);
		expect(counts()).toMatchObject({ calls: 8, activities: 8, rows: 8 });
		expect(counts()).toMatchObject({ amoCalls: 7, bitrixActivities: 7 });
	}, 120_000);
	await runFrom(spreadsheet, 'Every 10 Minutes');
	expect(sheets.read('Call Back')).toMatchObject([
		{ customerNumber: MISSED, status: 'called back', calledBackBy: '100' },
	]);
});

it('change nothing when they run again for the same calls', async () => {
	await settle();
	const before = state();
	await Promise.all(kits.map(async (kit) => await runFrom(kit, 'Every Night')));

	expect(state()).toEqual(before);
});

it('lose no call while the services are down, and show which one waits', async () => {
	const seen = await Promise.all(kits.map(async ({ id }) => await newest(id)));
	services.forEach((service) => service.fail(503));
	const { token } = amocrm;
	amocrm.token = 'another one, as the old one ran out';
	await incoming(LATE, { outcome: 'cancelled' });
	const failed = await Promise.all(
		kits.map(
			async ({ id }, index) =>
				await eventually(async () => {
					const executions = await n8n.waitForExecutions(id, { after: seen[index] ?? '0' });
					const found = executions.find(
						// The schedule of a kit may fail in the outage, too.
						({ status, data }) => status === 'error' && data.resultData.runData['New Call'],
					);
					expect(found).toBeDefined();
					return found;
				}),
		),
	);
	services.forEach((service) => service.recover());
	amocrm.token = token;
	const callId = pbx.sandbox.exchange.list().at(-1)?.first.callId ?? 'none';
	for (const execution of failed) {
		expect(JSON.stringify(execution?.data.resultData.runData).includes(callId)).toBe(true);
		await n8n.rest.request('POST', `executions/${execution?.id}/retry`, { loadWorkflow: true });
	}

	await eventually(() => {
		expect(counts()).toEqual({
			...{ contacts: 6, calls: 9, tasks: 2 },
			...{ persons: 6, activities: 9 },
			...{ rows: 9, customers: 5 },
			...{ amoContacts: 6, amoCalls: 8, amoTasks: 2 },
			...{ bitrixCustomers: 6, bitrixActivities: 8 },
		});
	});
});

it('ask the services for nothing that these do not document, and nobody else', () => {
	expect(services.flatMap(({ unknown }) => unknown)).toEqual([]);
	expect(internet.strangers).toEqual([]);
});

/** Waits until no execution is under way, so that nothing changes but by what the test does. */
async function settle(): Promise<void> {
	await eventually(async () => {
		const running = await n8n.listExecutions({ status: 'running' });
		expect([running, await n8n.listExecutions({ status: 'new' })]).toEqual([[], []]);
	});
}

/** The ID of a workflow's newest execution. */
async function newest(workflowId: string): Promise<string> {
	const [execution] = await n8n.listExecutions({ workflowId }, 1);
	return execution?.id ?? '0';
}
