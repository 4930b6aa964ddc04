import { Refused, Service, wrongField } from './service';

type Entry = Record<string, unknown>;

export interface Customer {
	typeId: number;
	id: number;
	name: string;
	phone: string;
	assignedById: number;
}

export interface BitrixActivity {
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
const CONTACT = ['NAME', 'PHONE', 'SOURCE_ID', 'ASSIGNED_BY_ID'];
const LEAD = [...CONTACT, 'TITLE'];
const ACTIVITY = [
	...['OWNER_TYPE_ID', 'OWNER_ID', 'TYPE_ID', 'ORIGINATOR_ID', 'ORIGIN_ID', 'SUBJECT'],
	...['DESCRIPTION', 'DESCRIPTION_TYPE', 'DIRECTION', 'START_TIME', 'END_TIME', 'COMPLETED'],
	...['RESPONSIBLE_ID', 'COMMUNICATIONS'],
];

const WEBHOOK = 'https://example.bitrix24.com/rest/1/webhook-code/';

/** The user who owns the webhook. */
const ADMIN = 1;

/** Simulates Bitrix24's documented API for an inbound webhook, as far as the kit uses it. */
export class Bitrix24 extends Service {
	/** The inbound webhook, as Bitrix24 shows it. */
	readonly webhook = WEBHOOK;
	readonly customers: Customer[] = [];
	readonly activities: BitrixActivity[] = [];
	/** How its CRM works: 1 with leads, 2 without. */
	mode: 1 | 2 = 1;

	constructor() {
		const { hostname, pathname } = new URL(WEBHOOK);
		super([hostname], ({ url }) => url.startsWith(pathname));
		const on = (method: string, answer: (body: Entry) => unknown) =>
			this.app.post(`/rest/:user/:code/${method}`, ({ body }) => ({
				result: answer(body as Entry),
				time: { operating: 0 },
			}));
		on('crm.duplicate.findbycomm', (body) => this.findByPhone(body));
		on('crm.settings.mode.get', () => this.mode);
		on('crm.contact.add', ({ fields }) =>
			this.addCaller('CONTACT', check(CONTACT, fields as Entry)),
		);
		on('crm.lead.add', ({ fields }) => this.addCaller('LEAD', check(LEAD, fields as Entry)));
		on('crm.item.get', ({ entityTypeId, id }) => ({
			item: this.getCustomer(Number(entityTypeId), Number(id)),
		}));
		on('crm.activity.list', ({ filter }) => this.listActivities(filter as Entry));
		on('crm.activity.add', ({ fields }) => this.addActivity(fields as Entry));
		on('crm.activity.update', ({ id, fields }) => {
			const activity = this.activities.find(({ ID }) => ID === String(id));
			if (!activity) throw refused('Activity is not found');
			Object.assign(activity, check(ACTIVITY, fields as Entry));
			return true;
		});
	}

	/** Adds a customer as a user of Bitrix24 would. */
	addCustomer(type: keyof typeof TYPES, name: string, phone: string, assignedById: number): number {
		const id = this.customers.length + 1;
		this.customers.push({ typeId: TYPES[type], id, name, phone, assignedById });
		return id;
	}

	/** Finds whole numbers only. No match is an empty list, as PHP encodes it. */
	private findByPhone({ type, values }: Entry): object {
		if (type !== 'PHONE') throw refused('Communication type is not defined');
		if (!Array.isArray(values) || values.length === 0 || values.length > 20)
			throw refused('Communication values is not defined');
		const numbers = values.map((value) => digitsOf(String(value)));
		const found = this.customers.filter(({ phone }) => numbers.includes(digitsOf(phone)));
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
		return this.addCustomer(type, String(NAME), phone?.VALUE ?? '', Number(ASSIGNED_BY_ID));
	}

	private getCustomer(type: number, wanted: number): Customer {
		const found = this.customers.find(({ typeId, id }) => typeId === type && id === wanted);
		if (!found) throw refused('Not found');
		return found;
	}

	private listActivities(filter: Entry): BitrixActivity[] {
		check(ACTIVITY, filter);
		return this.activities.filter((activity) =>
			Object.entries(filter).every(([name, value]) => Reflect.get(activity, name) === value),
		);
	}

	private addActivity(given: Entry): number {
		const activity = check(ACTIVITY, given) as unknown as BitrixActivity;
		for (const name of ['SUBJECT', 'RESPONSIBLE_ID', 'TYPE_ID', 'COMMUNICATIONS'])
			if (!given[name]) throw refused(`The field ${name} is not defined or invalid`);
		this.getCustomer(activity.OWNER_TYPE_ID, activity.OWNER_ID);
		this.activities.push({ ...activity, ID: String(this.activities.length + 1) });
		return this.activities.length;
	}
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
