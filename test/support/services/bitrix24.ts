import { CrmStandIn, digitsOf } from './crm';
import { Refused, wrongField } from './service';

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
	FILES?: Array<{ fileData: [string, string] }>;
	ID: string;
	OWNER_ID: number;
	OWNER_TYPE_ID: number;
	ORIGIN_ID: string;
	SUBJECT: string;
	DESCRIPTION: string;
	COMPLETED: 'Y' | 'N';
	RESPONSIBLE_ID: number;
}

interface Body {
	type?: string;
	values?: string[];
	cmd?: Record<string, string>;
	id?: string;
	select?: string[];
	filter?: { ID?: string[]; STATUS_SEMANTIC_ID?: string };
	FILTER?: Entry;
	fields?: Entry;
}

/** The types of customers, with the numbers that responses use. */
const TYPES = { LEAD: 1, CONTACT: 3, COMPANY: 4 };

/** The fields that the documentation lists for writing. */
const LEAD = ['NAME', 'TITLE', 'PHONE', 'SOURCE_ID', 'ASSIGNED_BY_ID'];
const ACTIVITY = [
	...['OWNER_TYPE_ID', 'OWNER_ID', 'TYPE_ID', 'ORIGINATOR_ID', 'ORIGIN_ID', 'SUBJECT'],
	...['DESCRIPTION', 'DESCRIPTION_TYPE', 'DIRECTION', 'START_TIME', 'END_TIME', 'COMPLETED'],
	...['RESPONSIBLE_ID', 'COMMUNICATIONS', 'FILES'],
];

/** The user who owns the webhook. */
const ADMIN = 66;
const EXTENSIONS = [
	{ ID: '88', UF_PHONE_INNER: '100' },
	{ ID: '77', UF_PHONE_INNER: '102' },
];

/** Simulates Bitrix24's documented API for an inbound webhook, as far as the kit uses it. */
export class Bitrix24 extends CrmStandIn<Customer, BitrixActivity, BitrixActivity> {
	readonly kit = 'bitrix24';
	readonly title = 'Bitrix24';
	/** The inbound webhook, as Bitrix24 shows it. The workflow's own value. */
	override readonly address = 'https://example.bitrix24.com/rest/1/webhook-code/';
	protected readonly creates = {
		...{ customer: 'crm.lead.add', call: 'crm.activity.add', task: 'crm.activity.add' },
	};
	protected override readonly taskList = this.callList;

	constructor() {
		super(['example.bitrix24.com'], ({ url }) => url.startsWith('/rest/1/webhook-code/'));
		const methods: Record<string, (body: Body) => unknown> = {
			'crm.duplicate.findbycomm': (body) => this.findByPhone(body),
			// With leads.
			'crm.settings.mode.get': () => 1,
			'crm.lead.add': ({ fields = {} }) => {
				const { NAME, PHONE, ASSIGNED_BY_ID = ADMIN } = check(LEAD, fields);
				const [phone] = PHONE as Array<{ VALUE: string }>;
				return this.add('LEAD', String(NAME), phone?.VALUE ?? '', Number(ASSIGNED_BY_ID));
			},
			'user.get': ({ FILTER }) =>
				EXTENSIONS.filter((one) => one.UF_PHONE_INNER === FILTER?.UF_PHONE_INNER),
			'crm.contact.list': (body) => this.list('CONTACT', body),
			'crm.company.list': (body) => this.list('COMPANY', body),
			'crm.lead.list': (body) => this.list('LEAD', body),
			'crm.activity.list': ({ filter = {} }) => {
				const wanted = Object.entries(check(['ID', ...ACTIVITY], filter));
				return this.callList.filter((activity) =>
					wanted.every(([name, value]) => Reflect.get(activity, name) === value),
				);
			},
			'crm.timeline.comment.add': ({ fields = {} }) => {
				const { ENTITY_TYPE, ENTITY_ID, COMMENT } = fields;
				const isKnown = this.customerList.some(({ id }) => String(id) === ENTITY_ID);
				if (ENTITY_TYPE !== 'contact' || !isKnown || !COMMENT) throw refused('ENTITY_ID');
				return this.written.push(String(COMMENT));
			},
			'crm.activity.add': ({ fields = {} }) => this.addActivity(fields),
			'crm.activity.update': ({ id, fields = {} }) => {
				const activity = this.callList.find(({ ID }) => ID === String(id));
				if (!activity) throw refused('Activity is not found');
				return Boolean(Object.assign(activity, check(ACTIVITY, fields)));
			},
			// Several methods in one request, each with its parameters as a query.
			batch: ({ cmd = {} }) => {
				const results = Object.entries(cmd).map(([name, command]) => {
					const [method = '', query = ''] = command.split(/\?(.*)/s);
					return [name, methods[method]?.(fieldsOf(query))] as const;
				});
				return { result: Object.fromEntries(results), result_error: [] };
			},
		};
		this.on<Body | Buffer>('POST', '/rest/:user/:code/:method', ({ params, body }) => {
			const answer = methods[params.method ?? ''];
			if (!answer) throw new Error('The stand-in service does not have this method');
			const given = Buffer.isBuffer(body) ? fieldsOf(String(body)) : body;
			return { result: answer(given), time: { operating: 0 } };
		});
	}

	addCustomer(name: string, phone: string, owner = String(ADMIN)): void {
		this.add('CONTACT', name, phone, Number(owner));
	}

	/** Adds a lead that was closed. */
	addClosedLead(name: string, phone: string): void {
		this.add('LEAD', name, phone, ADMIN, true);
	}

	protected override nameOf({ isClosed, name }: Customer) {
		return isClosed ? undefined : name;
	}

	protected callOf(activity: BitrixActivity) {
		const { DESCRIPTION, FILES = [] } = activity;
		const task = this.taskOf(activity);
		const files = FILES.map(({ fileData: [, data] }) =>
			Buffer.from(data, 'base64').toString('latin1', 0, 4),
		);
		return {
			callId: activity.ORIGIN_ID,
			customer: this.ownerOf(activity)?.name ?? 'gone',
			text: task ? DESCRIPTION : activity.SUBJECT,
			body: [DESCRIPTION, ...files].join(),
			user: task ? '88' : String(activity.RESPONSIBLE_ID),
		};
	}

	/** A call to return. */
	protected taskOf(activity: BitrixActivity) {
		if (!activity.SUBJECT.startsWith('Call back ')) return undefined;
		const customer = this.ownerOf(activity)?.name ?? 'gone';
		const { COMPLETED, RESPONSIBLE_ID } = activity;
		return { customer, isOpen: COMPLETED === 'N', user: String(RESPONSIBLE_ID) };
	}

	protected reopen(activity: BitrixActivity): void {
		activity.COMPLETED = 'N';
	}

	private ownerOf({ OWNER_ID, OWNER_TYPE_ID }: BitrixActivity): Customer | undefined {
		const isOwner = ({ typeId, id }: Customer) => typeId === OWNER_TYPE_ID && id === OWNER_ID;
		return this.customerList.find(isOwner);
	}

	private add(
		type: keyof typeof TYPES,
		name: string,
		phone: string,
		assignedById: number,
		isClosed = false,
	): number {
		const id = this.nextId();
		this.customerList.push({ id, typeId: TYPES[type], name, phone, assignedById, isClosed });
		return id;
	}

	/** Finds whole numbers only. No match is an empty list, as PHP encodes it. */
	private findByPhone({ type, values = [] }: Body): object {
		if (type !== 'PHONE') throw refused('Communication type is not defined');
		if (values.length === 0 || values.length > 20)
			throw refused('Communication values is not defined');
		const numbers = values.map(digitsOf);
		const found = this.customerList.filter(({ phone }) => numbers.includes(digitsOf(phone)));
		const byType = Object.entries(TYPES).map(([name, number]) => [
			name,
			found.filter(({ typeId }) => typeId === number).map(({ id }) => id),
		]);
		const some = byType.filter(([, ids]) => ids?.length);
		return some.length > 0 ? (Object.fromEntries(some) as object) : [];
	}

	/** Lists customers with their numbers. A filter without IDs would list all. */
	private list(type: keyof typeof TYPES, { filter = {}, select = [] }: Body): Entry[] {
		const { ID = [], STATUS_SEMANTIC_ID } = filter;
		if (ID.length === 0 || !select.includes('PHONE')) throw refused('filter');
		return this.customerList
			.filter(({ typeId, id }) => typeId === TYPES[type] && ID.map(Number).includes(id))
			.filter(({ isClosed }) => !(STATUS_SEMANTIC_ID === 'P' && isClosed))
			.map(({ id, phone, assignedById }) => ({
				...{ ID: String(id), ASSIGNED_BY_ID: String(assignedById) },
				PHONE: [{ ID: '1', VALUE_TYPE: 'WORK', VALUE: phone, TYPE_ID: 'PHONE' }],
			}));
	}

	private addActivity(given: Entry): number {
		const activity = check(ACTIVITY, given) as unknown as BitrixActivity;
		for (const name of ['SUBJECT', 'RESPONSIBLE_ID', 'TYPE_ID', 'COMMUNICATIONS'])
			if (!given[name]) throw refused(`The field ${name} is not defined or invalid`);
		if (!this.ownerOf(activity)) throw refused('Not found');
		const id = this.nextId();
		this.callList.push({ ...activity, ID: String(id) });
		return id;
	}
}

/** Reads fields such as `filter[ID][]=1`, as PHP does. */
function fieldsOf(query: string): Body {
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

/** Rejects undocumented fields, which Bitrix24 itself would ignore. */
function check(known: string[], given: Entry): Entry {
	const unknown = wrongField(given, { any: known });
	if (unknown) throw refused(`The field ${unknown} is unknown`);
	return given;
}

const refused = (message: string): Refused =>
	new Refused(400, { error: '', error_description: message });
