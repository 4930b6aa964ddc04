import type { Credential, N8nClient } from '../../../tools/n8n';
import type { KitChoices } from '../e2e/kits';
import { Amocrm } from './amocrm';
import { Bitrix24 } from './bitrix24';
import { GoogleSheets, SPREADSHEET } from './googleSheets';
import { Pipedrive } from './pipedrive';

/** The kits, in the order of the services in {@link crms}. */
export const KITS = ['pipedrive', 'google-sheets', 'amocrm', 'bitrix24'] as const;

/** Simulated services that the kits write to. */
export const crms = () => ({
	pipedrive: new Pipedrive(),
	sheets: new GoogleSheets(['Calls', 'Customers', 'Call Back']),
	amocrm: new Amocrm(),
	bitrix24: new Bitrix24(),
});

/** Chooses and enters what a user of all kits does, and stores the credentials for the services. */
export async function chooseFor(
	n8n: N8nClient,
	pbx: Credential,
	{ pipedrive, sheets, amocrm, bitrix24 }: ReturnType<typeof crms>,
): Promise<KitChoices> {
	const credentials = [
		pbx,
		await n8n.createCredential('pipedriveApi', 'Pipedrive', { apiToken: pipedrive.token }),
		await n8n.createCredential('httpBearerAuth', 'amoCRM', { token: amocrm.token }),
		await n8n.createCredential(
			'googleSheetsOAuth2Api',
			'Google',
			sheets.credential('spreadsheets'),
		),
	];
	const spreadsheet = `https://docs.google.com/spreadsheets/d/${SPREADSHEET}/edit#gid=0`;
	const settings = { account: amocrm.address, webhook: bitrix24.webhook };
	return { credentials, spreadsheet, settings };
}
