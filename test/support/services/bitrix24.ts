import { removeFirst } from './crm';
import type { CrmStandIn } from './crm';
import { Refused, Service, wrongField } from './service';

type Entry = Record<string, unknown>;

interface Customer {
	isClosed: boolean;
	typeId: number;
	id: number;
	name: string;
	phone: string;
	assignedById: number;
}

interface CustomerFilter {
	ID?: string[];
	STATUS_SEMANTIC_ID?: string;
}

interface BitrixActivity {
	FILES?: Array<{ fileData: [string, string] }>;
	ID: string;
	OWNER_ID: number;
	OWNER_TYPE_ID: number;
	ORIGINATOR_ID: string;
	ORIGIN_ID: string;
	SUBJECT: string;
	DESCRIPTION: string;
	COMPLETED: 'Y' | 'N';
	RESPONSIBLE_ID: number;
}

/** The types of customers, with the numbers that responses use. */
const TYPES = { LEAD: 1, CONTACT: 3, COMPANY: 4 };

/** The fields that the documentation lists for writing. */
const CONTACT = ['NAME', 'TITLE', 'PHONE', 'SOURCE_ID', 'ASSIGNED_BY_ID'];
const ACTIVITY = [
	...['OWNER_TYPE_ID', 'OWNER_ID', 'TYPE_ID', 'ORIGINATOR_ID', 'ORIGIN_ID', 'SUBJECT'],
	...['DESCRIPTION', 'DESCRIPTION_TYPE', 'DIRECTION', 'START_TIME', 'END_TIME', 'COMPLETED'],
	...['RESPONSIBLE_ID', 'COMMUNICATIONS', 'FILES'],
];

const WEBHOOK = 'https://example.bitrix24.com/rest/1/webhook-code/';

/** The user who owns the webhook. */
const ADMIN = 66;

/** Simulates Bitrix24's documented API for an inbound webhook, as far as the kit uses it. */
export class Bitrix24 extends Service implements CrmStandIn {
	readonly kit = 'bitrix24';
	readonly title = 'Bitrix24';
	/** The inbound webhook, as Bitrix24 shows it. The workflow's own value. */
	readonly address = WEBHOOK;
	private readonly all: Customer[] = [];
	private readonly activities: BitrixActivity[] = [];
	private readonly written: string[] = [];
	private lastId = 0;
	/** How its CRM works: 1 with leads, 2 without. */
	mode: 1 | 2 = 1;

	constructor() {
		const { hostname, pathname } = new URL(WEBHOOK);
		super([hostname], ({ url }) => url.startsWith(pathname));
		const methods = new Map<string, (body: Entry) => unknown>();
		const on = (method: string, answer: (body: Entry) => unknown) => {
			methods.set(method, answer);
			this.app.post(`/rest/:user/:code/${method}`, ({ body }) => ({
				result: answer(body as Entry),
				time: { operating: 0 },
			}));
		};
		const form = 'application/x-www-form-urlencoded';
		this.app.addContentTypeParser(form, { parseAs: 'string' }, (_, body, done) =>
			done(null, fieldsOf(String(body))),
		);
		// Several methods in one request, each with its parameters as a query.
		on('batch', ({ cmd }) => {
			const commands = Object.entries(cmd as Record<string, string>).map(([name, command]) => {
				const [method = '', query = ''] = command.split(/\?(.*)/s);
				return [name, methods.get(method)?.(fieldsOf(query))];
			});
			return { result: Object.fromEntries(commands) as Entry, result_error: [] };
		});
		on('crm.duplicate.findbycomm', (body) => this.findByPhone(body));
		on('crm.settings.mode.get', () => this.mode);
		on('crm.contact.add', ({ fields }) =>
			this.addCaller('CONTACT', check(CONTACT, fields as Entry)),
		);
		on('crm.lead.add', ({ fields }) => this.addCaller('LEAD', check(CONTACT, fields as Entry)));
		on('user.get', ({ FILTER }) => {
			const users = [
				{ ID: '88', UF_PHONE_INNER: '100' },
				{ ID: '77', UF_PHONE_INNER: '102' },
			];
			const { UF_PHONE_INNER } = FILTER as Entry;
			return users.filter((one) => one.UF_PHONE_INNER === UF_PHONE_INNER);
		});
		for (const [name, type] of Object.entries(TYPES))
			on(`crm.${name.toLowerCase()}.list`, ({ filter, select }) =>
				this.list(type, filter as CustomerFilter, select as string[]),
			);
		on('crm.activity.list', ({ filter }) => this.listActivities(filter as Entry));
		on('crm.timeline.comment.add', ({ fields }) => {
			const { ENTITY_TYPE, ENTITY_ID, COMMENT } = fields as Record<string, string>;
			const isKnown = this.all.some(({ id }) => String(id) === ENTITY_ID);
			if (ENTITY_TYPE !== 'contact' || !isKnown || !COMMENT) throw refused('ENTITY_ID');
			this.written.push(COMMENT);
			return this.written.length;
		});
		on('crm.activity.add', ({ fields }) => this.addActivity(fields as Entry));
		on('crm.activity.update', ({ id, fields }) => {
			Object.assign(this.activityOf(String(id)), check(ACTIVITY, fields as Entry));
			return true;
		});
	}

	addCustomer(name: string, phone: string, owner = String(ADMIN)): void {
		this.add('CONTACT', { name, phone, assignedById: Number(owner), isClosed: false });
	}

	/** Adds a lead that was closed. */
	addClosedLead(name: string, phone: string): void {
		this.add('LEAD', { name, phone, assignedById: ADMIN, isClosed: true });
	}

	removeCustomer(name: string): void {
		removeFirst(this.all, (one) => one.name === name);
	}

	removeTask(customer: string): void {
		removeFirst(this.activities, (one) => isTask(one) && this.customerOf(one) === customer);
	}

	removeCall(customer: string): void {
		removeFirst(this.activities, (one) => this.customerOf(one) === customer);
	}

	/** Reopens a customer's tasks, as a user does. */
	reopenTask(customer: string): void {
		for (const one of this.activities)
			if (isTask(one) && this.customerOf(one) === customer) one.COMPLETED = 'N';
	}

	afterCall(act: () => Promise<unknown>): void {
		this.loseAnswer('crm.activity.add', 'POST', act);
	}

	loseAnswers(): void {
		['crm.lead.add', 'crm.activity.add'].forEach((method) => this.loseAnswer(method));
	}

	customers() {
		return this.all.filter(({ isClosed }) => !isClosed).map(({ name }) => name);
	}

	notes() {
		return this.written;
	}

	calls() {
		return this.activities.map((activity) => ({
			callId: activity.ORIGIN_ID,
			customer: this.customerOf(activity),
			text: isTask(activity) ? activity.DESCRIPTION : activity.SUBJECT,
			body: [
				activity.DESCRIPTION,
				...(activity.FILES ?? []).map(({ fileData: [, data] }) =>
					Buffer.from(data, 'base64').toString('latin1', 0, 4),
				),
			].join(),
			user: isTask(activity) ? '88' : String(activity.RESPONSIBLE_ID),
		}));
	}

	tasks() {
		const tasks = this.activities.filter(isTask);
		return tasks.map((activity) => ({
			customer: this.customerOf(activity),
			isOpen: activity.COMPLETED === 'N',
			user: String(activity.RESPONSIBLE_ID),
		}));
	}

	private customerOf({ OWNER_ID, OWNER_TYPE_ID }: BitrixActivity): string {
		const isOwner = ({ typeId, id }: Customer) => typeId === OWNER_TYPE_ID && id === OWNER_ID;
		return this.all.find(isOwner)?.name ?? 'gone';
	}

	private activityOf(wanted: string): BitrixActivity {
		const activity = this.activities.find(({ ID }) => ID === wanted);
		if (!activity) throw refused('Activity is not found');
		return activity;
	}

	private nextId(): number {
		this.lastId += 1;
		return this.lastId;
	}

	private add(type: keyof typeof TYPES, customer: Omit<Customer, 'id' | 'typeId'>): number {
		const id = this.nextId();
		this.all.push({ ...customer, typeId: TYPES[type], id });
		return id;
	}

	/** Finds whole numbers only. No match is an empty list, as PHP encodes it. */
	private findByPhone({ type, values }: Entry): object {
		if (type !== 'PHONE') throw refused('Communication type is not defined');
		if (!Array.isArray(values) || values.length === 0 || values.length > 20)
			throw refused('Communication values is not defined');
		const numbers = values.map((value) => digitsOf(String(value)));
		const found = this.all.filter(({ phone }) => numbers.includes(digitsOf(phone)));
		const byType = Object.entries(TYPES).map(([name, number]) => [
			name,
			found.filter(({ typeId }) => typeId === number).map(({ id }) => id),
		]);
		const some = byType.filter(([, ids]) => ids?.length);
		return some.length > 0 ? (Object.fromEntries(some) as object) : [];
	}

	/** Lists customers with their numbers. A filter without IDs would list all. */
	private list(type: number, filter: CustomerFilter, select: string[]): Entry[] {
		const { ID = [], STATUS_SEMANTIC_ID } = filter;
		if (ID.length === 0 || !select.includes('PHONE')) throw refused('filter');
		return this.all
			.filter(({ typeId, id }) => typeId === type && ID.map(Number).includes(id))
			.filter(({ isClosed }) => !(STATUS_SEMANTIC_ID === 'P' && isClosed))
			.map(({ id, phone, assignedById }) => ({
				...{ ID: String(id), ASSIGNED_BY_ID: String(assignedById) },
				PHONE: [{ ID: '1', VALUE_TYPE: 'WORK', VALUE: phone, TYPE_ID: 'PHONE' }],
			}));
	}

	private addCaller(type: keyof typeof TYPES, given: Entry): number {
		const { NAME, PHONE, ASSIGNED_BY_ID = ADMIN } = given;
		const [phone] = PHONE as Array<{ VALUE: string; VALUE_TYPE: string }>;
		const [assignedById, name] = [Number(ASSIGNED_BY_ID), String(NAME)];
		return this.add(type, { name, phone: phone?.VALUE ?? '', assignedById, isClosed: false });
	}

	private getCustomer(type: number, wanted: number): Customer {
		const found = this.all.find(({ typeId, id }) => typeId === type && id === wanted);
		if (!found) throw refused('Not found');
		return found;
	}

	private listActivities(filter: Entry): BitrixActivity[] {
		check(['ID', ...ACTIVITY], filter);
		return this.activities.filter((activity) =>
			Object.entries(filter).every(([name, value]) => Reflect.get(activity, name) === value),
		);
	}

	private addActivity(given: Entry): number {
		const activity = check(ACTIVITY, given) as unknown as BitrixActivity;
		for (const name of ['SUBJECT', 'RESPONSIBLE_ID', 'TYPE_ID', 'COMMUNICATIONS'])
			if (!given[name]) throw refused(`The field ${name} is not defined or invalid`);
		this.getCustomer(activity.OWNER_TYPE_ID, activity.OWNER_ID);
		const id = this.nextId();
		this.activities.push({ ...activity, ID: String(id) });
		return id;
	}
}

/** Reads fields such as `filter[ID][]=1`, as PHP does. */
function fieldsOf(query: string): Entry {
	const fields: Entry = {};
	for (const [name, value] of new URLSearchParams(query)) {
		const names = name.replaceAll(']', '').split('[');
		const last = names.pop() ?? '';
		const isList = last === '';
		const key = isList ? (names.pop() ?? '') : last;
		let inner = fields;
		for (const one of names) inner = (inner[one] ??= {}) as Entry;
		inner[key] = isList ? [...((inner[key] as string[] | undefined) ?? []), value] : value;
	}
	return fields;
}

/** Whether it is a call to return. */
const isTask = ({ SUBJECT }: BitrixActivity): boolean => SUBJECT.startsWith('Call back ');

const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** Rejects undocumented fields, which Bitrix24 itself would ignore. */
function check(known: string[], given: Entry): Entry {
	const unknown = wrongField(given, { any: known });
	if (unknown) throw refused(`The field ${unknown} is unknown`);
	return given;
}

const refused = (message: string): Refused =>
	new Refused(400, { error: '', error_description: message });
