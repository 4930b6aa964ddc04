import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { Service } from './service';

/** A call as a CRM's users see it. */
export interface CrmCall {
	callId: string;
	/** The name of the customer whose card shows it; empty for none. */
	customer: string;
	text: string;
	/** All else that is written or linked there. */
	body: string;
	/** The ID of the user whose call it is; empty for none. */
	user: string;
}

/** A task as a CRM's users see it. */
export interface CrmTask {
	customer: string;
	isOpen: boolean;
	user: string;
}

/** Deletes the first match, as a user does. Throws if there is none. */
export function removeFirst<T>(list: T[], matches: (one: T, index: number) => boolean): void {
	const index = list.findIndex(matches);
	if (index < 0) throw new Error('There is nothing to delete');
	list.splice(index, 1);
}

/** A simulated CRM, as the tests of all kits see it. */
export interface CrmStandIn extends Service {
	/** Its folder in examples/crm. */
	readonly kit: string;
	/** Its name in the kits' texts. */
	readonly title: string;
	/** Entered as `address` in its kit's Settings. */
	readonly address: string;
	/** The type of its n8n credential. Undefined if the address is enough. */
	readonly credentialType?: string;
	credential?(): ICredentialDataDecryptedObject;
	/** Adds a customer as a user of the CRM would have, long ago. */
	addCustomer(name: string, phone: string, owner?: string): void;
	/** Deletes a customer, as a user does. */
	removeCustomer(name: string): void;
	/** Deletes a customer's first task, as a user does. */
	removeTask(customer: string): void;
	/** Deletes a customer's first call, as a user does. */
	removeCall(customer: string): void;
	/** Reopens a customer's tasks, as a user does. */
	reopenTask?(customer: string): void;
	/** Acts after the next call is written, before anyone learns of it. */
	afterCall?(act: () => Promise<unknown>): void;
	/** Loses the next response to each kind of write. */
	loseAnswers(): void;
	customers(): string[];
	/** The notes at customers, in a ticket after its first comment, or of a spreadsheet. */
	notes(): string[];
	calls(): CrmCall[];
	tasks(): CrmTask[];
}
