import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { Service } from './service';

/** A call as a CRM's users see it. */
interface CrmCall {
	callId: string;
	/** The name of the customer whose card shows it; empty for none. */
	customer: string;
	text: string;
	/** All else that is written or linked there. */
	body: string;
	/** The ID of the user whose call it is; empty for none. */
	user: string;
}

interface CrmTask {
	customer: string;
	isOpen: boolean;
	user: string;
}

/** HubSpot and Zendesk document that a search finds what is new only after a while. The others name no time. */
const SEARCH_DELAY_MS = 5000;

/** When a search starts to find what is created now. */
export const foundLater = (): number => Date.now() + SEARCH_DELAY_MS;

export const isFound = ({ foundFrom }: { foundFrom: number }): boolean => foundFrom <= Date.now();

export const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** A simulated CRM, as the tests of all kits see it. It stores customers, calls, and tasks in forms of its own. */
export abstract class CrmStandIn<
	Customer = unknown,
	Call = unknown,
	Task = unknown,
> extends Service {
	/** Its file in examples/crm. */
	abstract readonly kit: string;
	/** Its name in the kits' texts. */
	abstract readonly title: string;
	/** Entered as `address` in its kit's Settings, if not empty. */
	readonly address: string = '';
	/** The type of its n8n credential. Undefined if the address is enough. */
	readonly credentialType?: string;
	/** The parts of paths that create a customer, a call, and a task. */
	protected abstract readonly creates: Record<'customer' | 'call' | 'task', string | RegExp>;
	protected readonly customerList: Customer[] = [];
	protected readonly callList: Call[] = [];
	/** The list of calls itself where a task is a call to return. */
	protected readonly taskList: Task[] = [];
	/** Notes at customers, in a ticket after its first comment, or of a spreadsheet. */
	protected readonly written: string[] = [];
	private lastId = 1000;

	credential?(): ICredentialDataDecryptedObject;

	/** Adds a customer as a user of the CRM would have, long ago. */
	abstract addCustomer(name: string, phone: string, owner?: string): void;
	/** Undefined for what users don't take for a call, a task, or a customer. */
	protected abstract callOf(call: Call): CrmCall | undefined;
	protected abstract taskOf(task: Task): CrmTask | undefined;
	protected abstract reopen(task: Task): void;
	protected nameOf(customer: Customer): string | undefined {
		return (customer as { name: string }).name;
	}

	customers(): string[] {
		return this.customerList.flatMap((one) => this.nameOf(one) ?? []);
	}

	calls(): CrmCall[] {
		return this.callList.flatMap((one) => this.callOf(one) ?? []);
	}

	tasks(): CrmTask[] {
		return this.taskList.flatMap((one) => this.taskOf(one) ?? []);
	}

	notes(): string[] {
		return this.written;
	}

	removeCustomer(name: string): void {
		removeFirst(this.customerList, (one) => this.nameOf(one) === name);
	}

	/** Deletes a customer's first call, as a user does. */
	removeCall(customer: string): void {
		removeFirst(this.callList, (one) => this.callOf(one)?.customer === customer);
	}

	/** Deletes a customer's first task, as a user does. */
	removeTask(customer: string): void {
		removeFirst(this.taskList, (one) => this.taskOf(one)?.customer === customer);
	}

	/** Reopens a customer's tasks, as a user does. */
	reopenTask(customer: string): void {
		for (const one of this.tasksOf(customer)) this.reopen(one);
	}

	/** Acts after the next call is written, before anyone learns of it. */
	afterCall(act: () => Promise<unknown>): void {
		this.loseAnswer(this.creates.call, 'POST', act);
	}

	/** Loses the next response to each kind of write. */
	loseAnswers(): void {
		new Set(Object.values(this.creates)).forEach((path) => this.loseAnswer(path));
	}

	/** Returns the name of the customer with this ID. */
	protected nameWith(wanted: unknown): string {
		const found = this.customerList.find((one) => (one as { id?: unknown }).id === wanted);
		return (found && this.nameOf(found)) ?? 'gone';
	}

	protected tasksOf(customer: string): Task[] {
		return this.taskList.filter((one) => this.taskOf(one)?.customer === customer);
	}

	protected nextId(): number {
		this.lastId += 1;
		return this.lastId;
	}
}

/** Deletes the first match. Throws if there is none. */
function removeFirst<T>(list: T[], matches: (one: T) => boolean): void {
	const index = list.findIndex(matches);
	if (index < 0) throw new Error('There is nothing to delete');
	list.splice(index, 1);
}
