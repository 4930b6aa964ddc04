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

interface BitrixActivity {
	/** Whether it was opened as a task. */
	isTask: boolean;
	/** Its subject before it was opened as a task. */
	firstSubject: string;
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
	/** The inbound webhook, as Bitrix24 shows it. */
	readonly address = WEBHOOK;
	private readonly all: Customer[] = [];
	private readonly activities: BitrixActivity[] = [];
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
		on('user.get', () =>
			[77, 88].map((ID) => ({
				...{ ID: String(ID), NAME: 'User', LAST_NAME: String(ID), EMAIL: '' },
				UF_PHONE_INNER: ID === 88 ? '100' : null,
			})),
		);
		on('crm.lead.list', ({ filter }) => {
			const { ID = [], STATUS_SEMANTIC_ID } = filter as {
				ID: string[];
				STATUS_SEMANTIC_ID: string;
			};
			if (STATUS_SEMANTIC_ID !== 'P' || ID.length === 0) throw refused('filter');
			const leads = this.all.filter(({ typeId, isClosed }) => typeId === TYPES.LEAD && !isClosed);
			return leads
				.filter(({ id }) => ID.map(Number).includes(id))
				.map(({ id }) => ({ ID: String(id) }));
		});
		on('crm.item.get', ({ entityTypeId, id }) => ({
			item: this.getCustomer(Number(entityTypeId), Number(id)),
		}));
		on('crm.activity.list', ({ filter }) => this.listActivities(filter as Entry));
		on('crm.activity.add', ({ fields }) => this.addActivity(fields as Entry));
		on('crm.activity.get', ({ id }) => this.activityOf(String(id)));
		on('crm.activity.update', ({ id, fields }) => {
			const activity = this.activityOf(String(id));
			const changes = check(ACTIVITY, fields as Entry);
			const isTask = activity.COMPLETED === 'Y' && changes.COMPLETED === 'N';
			if (isTask) activity.firstSubject = activity.SUBJECT;
			Object.assign(activity, changes, { isTask: activity.isTask || isTask });
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
		removeFirst(this.activities, (one) => one.isTask && this.customerOf(one) === customer);
	}

	removeCall(customer: string): void {
		removeFirst(this.activities, (one) => this.customerOf(one) === customer);
	}

	loseAnswers(): void {
		['crm.lead.add', 'crm.activity.add', 'crm.activity.update'].forEach((method) =>
			this.loseAnswer(method),
		);
	}

	customers() {
		return this.all.filter(({ isClosed }) => !isClosed).map(({ name }) => name);
	}

	calls() {
		return this.activities.map((activity) => ({
			callId: activity.ORIGIN_ID,
			customer: this.customerOf(activity),
			text: activity.isTask ? activity.firstSubject : activity.SUBJECT,
			body: [
				activity.DESCRIPTION,
				...(activity.FILES ?? []).map(({ fileData: [, data] }) =>
					Buffer.from(data, 'base64').toString('latin1', 0, 4),
				),
			].join(),
			user: activity.isTask ? '88' : String(activity.RESPONSIBLE_ID),
		}));
	}

	tasks() {
		const tasks = this.activities.filter(({ isTask }) => isTask);
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
		this.activities.push({ ...activity, ID: String(id), isTask: false, firstSubject: '' });
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

const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** Rejects undocumented fields, which Bitrix24 itself would ignore. */
function check(known: string[], given: Entry): Entry {
	const unknown = wrongField(given, { any: known });
	if (unknown) throw refused(`The field ${unknown} is unknown`);
	return given;
}

const refused = (message: string): Refused =>
	new Refused(400, { error: '', error_description: message });
