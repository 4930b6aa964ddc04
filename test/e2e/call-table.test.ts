import type { IDataObject } from 'n8n-workflow';
import { jsonOf } from '../../tools/n8n';
import type { N8nClient, Workflow, WorkflowFile } from '../../tools/n8n';
import { eventually, later, SHORT, startBed } from '../support/e2e';
import { actionNode, chainOf, runChain } from '../support/e2e/chain';
import { POLL_PATIENCE_MS } from '../support/e2e/polls';
import { recordWorkflow, RECORD_TRIGGER } from '../support/e2e/records';
import { TRIGGER, triggerWorkflow } from '../support/trigger/workflow';

const CUSTOMER = '12125550123';
const COMPANY = '12125550100';
/** One call of each type. test/unit/calls covers all kinds. */
const CALLS = [
	{ from: CUSTOMER, to: COMPANY },
	{ from: CUSTOMER, to: COMPANY, outcome: 'cancelled' },
	{ from: '100', to: CUSTOMER },
	{ from: '100', to: '101' },
] as const;

/** Picks the fields to compare, sorted by call ID. Events of a missed call don't show whose phone rang. */
function comparable(items: IDataObject[]): IDataObject[] {
	return items
		.map(({ callId, callType, outcome, missed, customerNumber, companyNumber, ...item }) => {
			const employee = missed === true ? null : item.employee;
			return { callId, callType, outcome, missed, customerNumber, companyNumber, employee };
		})
		.sort((one, other) => String(one.callId).localeCompare(String(other.callId)));
}

/** Activates a workflow until the end of the tests. */
async function start(n8n: N8nClient, file: WorkflowFile): Promise<Workflow> {
	const workflow = await n8n.createWorkflow(file);
	await n8n.activate(workflow.id);
	later(async () => await n8n.deactivate(workflow.id));
	return workflow;
}

async function itemsOf(n8n: N8nClient, { id }: Workflow, node: string): Promise<IDataObject[]> {
	const ended = await n8n.listExecutions({ workflowId: id, status: 'success' });
	const all = await Promise.all(ended.map(async (one) => await n8n.getExecution(one.id)));
	return all.flatMap((execution) => jsonOf(execution, node));
}

it('a call is returned once, and equally, by the event trigger, the record trigger, and Get Many', async () => {
	const { n8n, pbx, credential } = await startBed({ settings: { legs: 'both' } });
	const events = await start(n8n, triggerWorkflow(credential, { events: ['ended'] }));
	const records = await start(n8n, recordWorkflow(credential, { event: 'newCall' }));
	for (const order of CALLS) await pbx.client.call({ ...SHORT, ...order });
	const shown = await eventually(async () => {
		const byEvents = comparable(await itemsOf(n8n, events, TRIGGER));
		expect(byEvents).toHaveLength(CALLS.length);
		expect(comparable(await itemsOf(n8n, records, RECORD_TRIGGER))).toEqual(byEvents);
		return byEvents;
	}, POLL_PATIENCE_MS);
	const getMany = actionNode(['Calls', 'call:getMany', { returnAll: true }], credential);
	const execution = await runChain(n8n, chainOf('All calls', [getMany]));

	expect(comparable(jsonOf(execution, 'Calls'))).toEqual(shown);
	expect(
		shown.map(({ callType, missed }) => `${String(callType)} ${String(missed)}`).sort(),
	).toEqual(['incoming false', 'incoming true', 'internal false', 'outgoing false']);
});
