import type { crms } from './crms';

type StandIns = ReturnType<typeof crms>;

/** The CRMs' calls and customers, for the tests. */
export class Entries {
	constructor(private readonly standIns: StandIns) {}

	/** Returns everything, for a comparison. */
	state() {
		const { pipedrive, sheets, amocrm, bitrix24 } = this.standIns;
		return structuredClone({
			persons: pipedrive.persons,
			activities: pipedrive.activities,
			rows: sheets.read('Calls'),
			customers: sheets.read('Customers'),
			amoContacts: amocrm.contacts,
			amoLeads: amocrm.leads,
			amoCalls: amocrm.calls,
			amoTasks: amocrm.tasks,
			amoNotes: amocrm.notes,
			bitrixCustomers: bitrix24.customers,
			bitrixActivities: bitrix24.activities,
		});
	}

	/** Counts the entries of each kind. */
	counts() {
		return Object.fromEntries(
			Object.entries(this.state()).map(([name, all]) => [name, all.length]),
		) as Record<keyof ReturnType<Entries['state']>, number>;
	}

	/** Returns a call's entry in each CRM. amoCRM's has no ID. */
	of(callId: string) {
		const { pipedrive, sheets, bitrix24 } = this.standIns;
		return {
			pipedrive: pipedrive.activities.find(({ note }) => note?.includes(callId)),
			sheets: sheets.read('Calls').find((row) => row.callId === callId),
			bitrix24: bitrix24.activities.find(({ ORIGIN_ID }) => ORIGIN_ID === callId),
		};
	}

	/** Returns the recording links in each CRM. */
	links(): string[][] {
		const { pipedrive, sheets, amocrm, bitrix24 } = this.standIns;
		const held = [
			pipedrive.activities.map(({ note }) => hrefOf(note)),
			sheets.read('Calls').map(({ recording }) => String(recording)),
			amocrm.calls.map(({ link }) => link),
			bitrix24.activities.map(({ DESCRIPTION }) => hrefOf(DESCRIPTION)),
		];
		return held.map((links) => links.flatMap((link) => link || []));
	}
}

const hrefOf = (html = ''): string | undefined => /href="([^"]*)"/.exec(html)?.[1];
