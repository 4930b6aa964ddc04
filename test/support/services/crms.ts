import type { Credential, N8nClient } from '../../../tools/n8n';
import type { KitChoices } from '../e2e/kits';
import { GoogleSheets, SPREADSHEET } from './googleSheets';

/** The kits, in the order of the services in {@link crms}. */
export const KITS = ['google-sheets'] as const;

/** Simulated services that the kits write to. */
export const crms = () => ({
	sheets: new GoogleSheets(['Calls', 'Customers', 'Call Back']),
});

/** Chooses and enters what a user of all kits does, and stores the credentials for the services. */
export async function chooseFor(
	n8n: N8nClient,
	pbx: Credential,
	{ sheets }: ReturnType<typeof crms>,
): Promise<KitChoices> {
	const credentials = [
		pbx,
		await n8n.createCredential(
			'googleSheetsOAuth2Api',
			'Google',
			sheets.credential('spreadsheets'),
		),
	];
	const spreadsheet = `https://docs.google.com/spreadsheets/d/${SPREADSHEET}/edit#gid=0`;
	return { credentials, spreadsheet, settings: {} };
}
