import type { N8nClient } from '../../tools/n8n';
import { callWorkflow, errorOf } from '../support/e2e/chain';
import { answeredCall } from '../support/e2e/callTable';
import { CrmKit, NIGHT_MS } from '../support/e2e/crmKit';
import { startAmong } from '../support/e2e/own';
import type { CrmStandIn } from '../support/services/crm';
import { GoogleSheets } from '../support/services/googleSheets';

jest.setTimeout(NIGHT_MS);

const sheets = new GoogleSheets();

let n8n: N8nClient;
let kits: CrmKit[];

beforeAll(async () => {
	const bed = await startAmong([sheets], { country: 'RU' });
	({ n8n } = bed);
	kits = [];
	kits.push(await CrmKit.setUp(n8n, sheets, bed.credential));
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

it('write below the rows of Google Sheets, whatever people note beside them', async () => {
	for (const title of ['Calls', 'Contacts']) sheets.addNote(title);
	expect(await log(sheets, ['1@s', '79160000001'], ['2@s', '79160000001'])).toBeUndefined();
	expect(logged(sheets)).toEqual([
		['1@s', 'Caller +79160000001'],
		['2@s', 'Caller +79160000001'],
	]);
});
