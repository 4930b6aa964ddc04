import { setTimeout as sleep } from 'node:timers/promises';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { jsonOf } from '../../tools/n8n';
import type { N8nClient, Workflow } from '../../tools/n8n';
import { eventually, startBed } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { errorOf, runToEnd } from '../support/e2e/chain';
import { askWhere, EMPLOYEE_HEADERS, importExample } from '../support/e2e/examples';

const CALL = { from: '12125550123', to: '12125550100', talk_seconds: 5, speed: 100 };

let n8n: N8nClient;
let pbx: TestPbx;

beforeAll(async () => ({ n8n, pbx } = await startBed()));
beforeEach(async () => await pbx.client.reset());

it('shows who is calling, from a data table that it creates', async () => {
	const workflow = await importExample(n8n, pbx, 'who-is-calling.json');
	expect(errorOf(await runToEnd(n8n, workflow, 'Set Up'))).toBeUndefined();
	await n8n.activate(workflow.id);
	await pbx.client.call({ ...CALL, wait: 'delivered' });
	await pbx.client.call({ ...CALL, from: '17185550100', wait: 'delivered' });
	await eventually(async () => expect(await pbx.client.notes()).toHaveLength(2));
	await n8n.waitForExecutions(workflow.id, { count: 3 });
	await n8n.deactivate(workflow.id);

	expect((await pbx.client.notes()).map(({ text }) => text).sort()).toEqual([
		'Anna Peters, Northwind, is calling',
		'Unknown caller: 17185550100',
	]);
});

it('stores each call in one row of a data table that it creates', async () => {
	const workflow = await importExample(n8n, pbx, 'calls-to-data-table.json');
	expect(errorOf(await runToEnd(n8n, workflow, 'Set Up'))).toBeUndefined();
	const { bridge_id: callId } = await pbx.client.call({ ...CALL, wait: 'delivered' });
	await sleep(DATED_AHEAD_MS);
	const written = [
		await runToEnd(n8n, workflow, 'New Call'),
		await runToEnd(n8n, workflow, 'New Call'),
	];

	expect(written.map(errorOf)).toEqual([undefined, undefined]);
	const rows = written.map((execution) => jsonOf(execution, 'Write Row'));
	expect(rows).toMatchObject([
		[{ callId, callType: 'incoming', customerNumber: CALL.from, missed: false, talkSeconds: 5 }],
		[{ id: rows[0]?.[0]?.id }],
	]);
});

describe('business hours and holidays', () => {
	let workflow: Workflow;

	/** Changes the hours and holidays, and returns where a call goes. */
	async function routeWith(hours: object, holidays: string[]): Promise<IDataObject> {
		const nodes = structuredClone(workflow.nodes);
		const { parameters } = nodes.find(({ name }) => name === 'Hours and Holidays') ?? {};
		const { assignments } = parameters?.assignments as { assignments: IDataObject[] };
		assignments.forEach((row) => {
			row.value = JSON.stringify(row.name === 'hours' ? hours : holidays);
		});
		await n8n.updateWorkflow(workflow.id, { nodes });
		await n8n.activate(workflow.id);
		return await askWhere(n8n, workflow, CALL.from);
	}

	it('send a call to the group, to an announcement, or to the holiday announcement', async () => {
		workflow = await importExample(n8n, pbx, 'business-hours-and-holidays.json');
		await n8n.activate(workflow.id);
		const shipped = await askWhere(n8n, workflow, CALL.from);
		const { timezone } = await n8n.rest.request<{ timezone: string }>('GET', 'settings');
		const allDay = Object.fromEntries(DAYS.map((day) => [day, '00:00-24:00']));
		const open = await routeWith(allDay, ['1999-12-31']);
		const closed = await routeWith({}, []);
		const today = DateTime.now().setZone(timezone);
		// The day may end meanwhile.
		const days = [today, today.plus({ days: 1 })].map((day) => day.toISODate() ?? '');
		const thisYear = await routeWith(allDay, days);
		const everyYear = await routeWith(
			allDay,
			days.map((day) => day.slice('2026-'.length)),
		);
		await n8n.deactivate(workflow.id);

		const voicemail = { type: 'voicemail', extension: '100' };
		const group = { operations: [{ type: 'callflow', extension: '12125550104' }] };
		const late = { operations: [{ type: 'play', filename: 'after-hours.wav' }, voicemail] };
		const holiday = { operations: [{ type: 'play', filename: 'holiday.wav' }, voicemail] };
		expect([group, late, holiday]).toContainEqual(shipped);
		expect({ open, closed, thisYear, everyYear }).toEqual({
			...{ open: group, closed: late },
			...{ thisYear: holiday, everyYear: holiday },
		});
	});
});

describe('click to call', () => {
	/** Returns the form's URL. */
	function formOf({ nodes }: Workflow): string {
		const { webhookId } = nodes.find(({ type }) => type.endsWith('.formTrigger')) ?? {};
		return `${n8n.rest.url}/form/${webhookId}`;
	}

	/** Submits the form as its page does. */
	async function submit(
		workflow: Workflow,
		fields: string[],
		headers: Record<string, string> = EMPLOYEE_HEADERS,
	) {
		const body = new FormData();
		fields.forEach((value, index) => body.append(`field-${index}`, value));
		return await fetch(formOf(workflow), { method: 'POST', headers, body });
	}

	it("rings the employee's phone, then the number, and rejects users who aren't signed in", async () => {
		pbx.sandbox.pbx.change({ click_to_call: true, speed: 100 });
		const workflow = await importExample(n8n, pbx, 'click-to-call.json');
		await n8n.activate(workflow.id);
		const signedOut = await submit(workflow, ['101', '17185550144'], {});
		const told = async (...fields: string[]) => {
			const { formWaitingUrl } = (await (await submit(workflow, fields)).json()) as {
				formWaitingUrl: string;
			};
			const status = new URL(formWaitingUrl);
			status.pathname += '/n8n-execution-status';
			await eventually(async () => expect(await (await fetch(status)).text()).toBe('form-waiting'));
			return await (await fetch(formWaitingUrl)).text();
		};
		const refused = [
			await told('109', '17185550144'),
			await told('1 01', '17185550144'),
			await told('101', '*72 17185550144'),
		];
		const own = await told('101', '+1 718-555-0144');
		const calls = pbx.sandbox.exchange.list();
		await n8n.deactivate(workflow.id);

		expect(signedOut.status).toBe(401);
		expect(refused).toEqual([
			expect.stringContaining('No employee has the extension 109'),
			expect.stringMatching(/Employee.{1,6} must be an extension/),
			expect.stringMatching(/Number.{1,6} can.{1,6}t contain \* or #/),
		]);
		expect(own).toContain('When you pick up, the PBX calls +17185550144.');
		expect(calls).toMatchObject([
			{ order: { kind: 'click_to_call', from: '101', to: '+17185550144' } },
		]);
	});
});

/** Accelerated calls are dated by their own, slower clock, so their records are ahead of real time. */
const DATED_AHEAD_MS = 1500;

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
