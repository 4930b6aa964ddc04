import type { IDataObject } from 'n8n-workflow';
import { gregorianNow } from '../../sandbox/model/time';
import { jsonOf } from '../../tools/n8n';
import type { Credential, N8nClient, Workflow } from '../../tools/n8n';
import { CALL_TABLE, eventsOf, recordsOf } from '../support/callTable';
import type { TableCall, Told } from '../support/callTable';
import { connect, eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { actionNode, chainOf, runChain } from '../support/e2e/chain';
import { POLL_PATIENCE_MS } from '../support/e2e/polls';
import { publish } from '../support/e2e/publication';
import { recordWorkflow, RECORD_TRIGGER } from '../support/e2e/records';
import { TRIGGER, triggerWorkflow } from '../support/trigger/workflow';

/** A call of the table that ended two minutes ago, with IDs of its own, so that one PBX can have them all. */
interface PlacedCall {
	callId: string;
	call: TableCall;
	records: IDataObject[];
	events: IDataObject[];
}

function placedCall(call: TableCall, index: number): PlacedCall {
	const callId = `table-${index}`;
	const idOf = (id: string) => (id === 'a' ? callId : `${callId}-${id}`);
	const legs = call.legs.map((leg) => ({
		...leg,
		id: idOf(leg.id),
		other: leg.other && idOf(leg.other),
	}));
	const ends = recordsOf(legs, 'named').map(({ TIMESTAMP }) => Number(TIMESTAMP));
	const later = gregorianNow() - 120 - Math.max(...ends);
	return {
		callId,
		call,
		records: recordsOf(legs, 'named').map((record) => ({
			...record,
			BRIDGE_ID: callId,
			TIMESTAMP: String(Number(record.TIMESTAMP) + later),
		})),
		events: eventsOf(legs, 'named').map((event) => ({
			...event,
			Timestamp: Number(event.Timestamp) + later,
			'Custom-Channel-Vars': {
				...(event['Custom-Channel-Vars'] as IDataObject),
				'Bridge-ID': callId,
			},
		})),
	};
}

const PLACED = CALL_TABLE.map(placedCall);

type Answers = Record<string, unknown>;

/** What is told of each call of the table, by its name; a list where it is told more or less than once. */
function answersOf(items: IDataObject[]): Answers {
	const toldOf = (item: IDataObject) => {
		const { callType, outcome, missed, customerNumber, employee, companyNumber } = item;
		return { callType, outcome, missed, customerNumber, employee, companyNumber };
	};
	return Object.fromEntries(
		PLACED.map(({ callId, call }) => {
			const told = items.filter((item) => item.callId === callId).map(toldOf);
			return [call.name, told.length === 1 ? told[0] : told];
		}),
	);
}
const expected = (unknown: (call: TableCall) => Partial<Told> | undefined = () => ({})): Answers =>
	Object.fromEntries(CALL_TABLE.map((call) => [call.name, { ...call.told, ...unknown(call) }]));

/** The flat form names the other leg by its ID alone, so an incoming call names nobody. */
const unknownToFlatEvent = (call: TableCall): Partial<Told> => {
	const isPair = call.legs.every(({ side }) => side === 'outbound');
	const names = call.told.callType !== 'incoming' || isPair;
	return { ...call.event, ...(names ? {} : { employee: null }) };
};

describe.each([
	['contract', (call: TableCall) => call.event],
	['field', unknownToFlatEvent],
] as const)('every kind of call, in a real n8n, on the profile "%s"', (profile, unknownToEvent) => {
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: Credential;
	const active: Workflow[] = [];
	const start = async (file: Parameters<N8nClient['createWorkflow']>[0]) => {
		const workflow = await n8n.createWorkflow(file);
		expect(await publish(n8n, workflow.id)).toBe('');
		active.push(workflow);
		return workflow;
	};
	const toldBy = async ({ id }: Workflow, node: string) => {
		const ended = await n8n.listExecutions({ workflowId: id, status: 'success' });
		const all = await Promise.all(ended.map(async (one) => await n8n.getExecution(one.id)));
		return answersOf(all.flatMap((execution) => jsonOf(execution, node)));
	};

	beforeAll(async () => {
		n8n = await connect();
		pbx = await startPbx({ settings: { profile, legs: 'both' } });
		credential = await n8n.createCredential('virtualPbxApi', `Table ${profile}`, pbx.account);
	});
	afterAll(async () => {
		for (const { id } of active) await n8n.deactivate(id);
		await pbx.sandbox.close();
	});

	it('is told once by its events, and is the same in them', async () => {
		const workflow = await start(triggerWorkflow(credential, { events: ['ended'] }));
		const [webhook] = await pbx.client.webhooks();
		const sends = PLACED.flatMap(({ events }) => events).map((args) =>
			pbx.client.sendEvent(String(webhook?.id), 'CHANNEL_DESTROY', args),
		);
		await Promise.all(sends);
		await eventually(async () =>
			expect(await toldBy(workflow, TRIGGER)).toEqual(expected(unknownToEvent)),
		);
	});

	it('is told once by the record trigger and Get Many, and is the same in them', async () => {
		const workflow = await start(recordWorkflow(credential, { event: 'newCall' }));
		await pbx.client.addRecords(PLACED.flatMap(({ records }) => records));
		await eventually(
			async () => expect(await toldBy(workflow, RECORD_TRIGGER)).toEqual(expected()),
			POLL_PATIENCE_MS,
		);
		const getMany = actionNode(['Calls', 'call:getMany', { returnAll: true }], credential);
		const execution = await runChain(n8n, chainOf(`Table ${profile}`, [getMany]));
		expect(answersOf(jsonOf(execution, 'Calls'))).toEqual(expected());
	});
});
