import type { N8nClient } from '../../tools/n8n';
import { callWorkflow, errorOf } from '../support/e2e/chain';
import { answeredCall } from '../support/e2e/callTable';
import { CrmKit, NIGHT_MS } from '../support/e2e/crmKit';
import { startAmong } from '../support/e2e/own';
import type { CrmStandIn } from '../support/services/crm';
import { GoogleSheets } from '../support/services/googleSheets';
import { Zendesk } from '../support/services/zendesk';

jest.setTimeout(NIGHT_MS);

const zendesk = new Zendesk();
const sheets = new GoogleSheets();

let n8n: N8nClient;
let kits: CrmKit[];

beforeAll(async () => {
	zendesk.addCustomer('Petrova', '8 (495) 123-45-67');
	zendesk.addCustomer('Suspended', '+79160000002');
	const bed = await startAmong([zendesk, sheets], { country: 'RU' });
	({ n8n } = bed);
	kits = [];
	for (const crm of [zendesk, sheets]) kits.push(await CrmKit.setUp(n8n, crm, bed.credential));
});

/** Calls one of a CRM's workflows. Returns the error, if any. */
async function call(crm: CrmStandIn, name: string, items: object[]) {
	const kit = kits.find((one) => one.crm === crm);
	if (!kit) throw new Error(`${crm.title} is not set up`);
	return errorOf(await callWorkflow(n8n, kit.of(name), items as never, NIGHT_MS));
}

/** Has a CRM's workflows log answered calls: their IDs and numbers. Returns the error, if any. */
const log = async (crm: CrmStandIn, ...calls: Array<[callId: string, number: string]>) =>
	await call(
		crm,
		'log-calls',
		calls.map(([callId, number]) => answeredCall(callId, number)),
	);

/** Whose call each one is. */
const logged = (crm: CrmStandIn) => crm.calls().map(({ callId, customer }) => [callId, customer]);

it('find a merged user in Zendesk, and log the call of a suspended one without them', async () => {
	zendesk.suspend('Suspended');
	expect(await log(zendesk, ['1@z', '79160000001'])).toBeUndefined();
	zendesk.mergeCustomer('Caller +79160000001', 'Petrova');
	expect(await log(zendesk, ['2@z', '79160000001'], ['3@z', '79160000002'])).toBeUndefined();
	expect(logged(zendesk)).toEqual([
		['1@z', 'Petrova'],
		['2@z', 'Petrova'],
		['3@z', ''],
	]);
	expect(zendesk.customers()).toEqual(['Petrova', 'Suspended']);
});

it('add a review in Zendesk, even if the ticket of another call was deleted', async () => {
	zendesk.removeCall('Petrova');
	const reviews = ['1@z', '2@z'].map((callId) => ({ callId, summary: 'Wants chairs' }));
	expect(await call(zendesk, 'review', reviews)).toBeUndefined();
	expect(zendesk.calls()[0]).toMatchObject({
		callId: '2@z',
		body: expect.stringMatching('chairs'),
	});
});

it('write below the rows of Google Sheets, whatever people note beside them', async () => {
	for (const title of ['Calls', 'Contacts']) sheets.addNote(title);
	expect(await log(sheets, ['1@s', '79160000001'], ['2@s', '79160000001'])).toBeUndefined();
	expect(logged(sheets)).toEqual([
		['1@s', 'Caller +79160000001'],
		['2@s', 'Caller +79160000001'],
	]);
});
