import type { IDataObject } from 'n8n-workflow';
import type { Settings } from '../../sandbox/model/settings';
import { gregorianNow } from '../../sandbox/model/time';
import { jsonOf } from '../../tools/n8n';
import type { N8nClient, Workflow, WorkflowFile } from '../../tools/n8n';
import { CALL_TABLE, eventsOf, recordsOf } from '../support/callTable';
import type { TableCall, Told } from '../support/callTable';
import { connect, eventually, later, startPbx } from '../support/e2e';
import { actionNode, chainOf, runChain } from '../support/e2e/chain';
import { POLL_PATIENCE_MS } from '../support/e2e/polls';
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
const expectedOf = (unknown: (call: TableCall) => Partial<Told> = () => ({})): Answers =>
	Object.fromEntries(CALL_TABLE.map((call) => [call.name, { ...call.told, ...unknown(call) }]));

/** The flat form names the other leg by its ID alone, so an incoming call names nobody. */
const unknownToFlatEvent = (call: TableCall): Partial<Told> => {
	const isPair = call.legs.every(({ side }) => side === 'outbound');
	const names = call.told.callType !== 'incoming' || isPair;
	return { ...call.event, ...(names ? {} : { employee: null }) };
};

describe('every kind of call, in a real n8n', () => {
	let n8n: N8nClient;
	beforeAll(async () => void (n8n = await connect()));

	async function open(profile: Settings['profile']) {
		const pbx = await startPbx({ settings: { profile, legs: 'both' } });
		const name = `Table ${profile}`;
		return { pbx, credential: await n8n.createCredential('virtualPbxApi', name, pbx.account) };
	}

	async function start(file: WorkflowFile): Promise<Workflow> {
		const workflow = await n8n.createWorkflow(file);
		await n8n.activate(workflow.id);
		later(async () => await n8n.deactivate(workflow.id));
		return workflow;
	}

	async function itemsOf({ id }: Workflow, node: string): Promise<IDataObject[]> {
		const ended = await n8n.listExecutions({ workflowId: id, status: 'success' });
		const all = await Promise.all(ended.map(async (one) => await n8n.getExecution(one.id)));
		return all.flatMap((execution) => jsonOf(execution, node));
	}

	it('is told once by its events, in the form seen in the field', async () => {
		const { pbx, credential } = await open('field');
		const workflow = await start(triggerWorkflow(credential, { events: ['ended'] }));
		const [webhook] = await pbx.client.webhooks();
		const sends = PLACED.flatMap(({ events }) => events).map(async (args) => {
			await pbx.client.sendEvent(String(webhook?.id), 'CHANNEL_DESTROY', args);
		});
		await Promise.all(sends);
		const expected = expectedOf(unknownToFlatEvent);
		await eventually(async () =>
			expect(answersOf(await itemsOf(workflow, TRIGGER))).toEqual(expected),
		);
	});

	it('is the same, once, in the record trigger and in Get Many', async () => {
		const { pbx, credential } = await open('contract');
		const workflow = await start(recordWorkflow(credential, { event: 'newCall' }));
		await pbx.client.addRecords(PLACED.flatMap(({ records }) => records));
		const expected = expectedOf();
		await eventually(async () => {
			expect(answersOf(await itemsOf(workflow, RECORD_TRIGGER))).toEqual(expected);
		}, POLL_PATIENCE_MS);
		const getMany = actionNode(['Calls', 'call:getMany', { returnAll: true }], credential);
		const execution = await runChain(n8n, chainOf(workflow.name, [getMany]));
		expect(answersOf(jsonOf(execution, 'Calls'))).toEqual(expected);
	});
});
