import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { CrmStandIn, digitsOf, foundLater, isFound } from './crm';
import { hasToken, REFUSAL, Refused } from './service';

type Kind = 'contacts' | 'calls' | 'notes' | 'tasks';
type Properties = Record<string, string>;

/** A record as HubSpot stores it. Searches find it only from `foundFrom` on. */
export interface HubspotRecord {
	id: string;
	properties: Properties;
	contacts: string[];
	foundFrom: number;
}

interface Creation {
	properties: Properties;
	associations?: Array<{ to: { id: string }; types: Array<{ associationTypeId: number }> }>;
}

interface Batch {
	inputs: Array<{ id: string; properties: Properties }>;
}

interface Filter {
	propertyName: string;
	operator: string;
	value: string;
}

interface Search {
	filterGroups: Array<{ filters: Filter[] }>;
	sorts?: Array<{ propertyName: string; direction: string }>;
	limit: number;
	properties?: string[];
}

/** HubSpot searches numbers by “only the area code and local number” (developers.hubspot.com, search guide). */
const SEARCHABLE: Record<string, string> = {
	hs_searchable_calculated_phone_number: 'phone',
	hs_searchable_calculated_mobile_number: 'mobilephone',
};

/** HubSpot's own properties that the kit uses. */
const PROPERTIES: Record<Kind, string[]> = {
	contacts: [
		...['lastname', 'phone', 'mobilephone', 'hubspot_owner_id', 'createdate', 'lifecyclestage'],
		...Object.keys(SEARCHABLE),
	],
	calls: [
		...['hs_timestamp', 'hs_call_title', 'hs_call_duration', 'hs_call_from_number'],
		...['hs_call_to_number', 'hubspot_owner_id', 'hs_call_direction', 'hs_call_status'],
		...['hs_call_external_id', 'hs_attachment_ids'],
	],
	notes: ['hs_timestamp', 'hs_note_body'],
	tasks: [
		...['hs_timestamp', 'hs_task_subject', 'hubspot_owner_id', 'hs_task_status', 'hs_task_type'],
	],
};

/** The values of properties that have a list. */
const VALUES: Record<string, string[]> = {
	hubspot_owner_id: ['', '77', '88'],
	lifecyclestage: ['customer', 'lead', 'subscriber'],
	hs_call_direction: ['INBOUND', 'OUTBOUND'],
	hs_call_status: [
		...['BUSY', 'CALLING_CRM_USER', 'CANCELED', 'COMPLETED', 'CONNECTING', 'FAILED'],
		...['IN_PROGRESS', 'NO_ANSWER', 'QUEUED', 'RINGING'],
	],
	hs_task_status: ['COMPLETED', 'DEFERRED', 'IN_PROGRESS', 'NOT_STARTED', 'WAITING'],
	hs_task_type: ['CALL', 'EMAIL', 'TODO'],
};

/** Types of the association with a contact (developers.hubspot.com, associations: type IDs). */
const TO_CONTACT: Record<Kind, number> = { contacts: 449, calls: 194, notes: 202, tasks: 204 };

/** Simulates HubSpot's documented API, as far as the kit uses it. */
export class Hubspot extends CrmStandIn<HubspotRecord, HubspotRecord, HubspotRecord> {
	override readonly official = 'hubspot';
	readonly kit = 'hubspot';
	readonly title = 'HubSpot';
	override readonly credentialType = 'hubspotAppToken';
	/** The users, by ID. One who left is gone from it. */
	readonly users = new Map([
		['77', 'Olga'],
		['88', 'Anna'],
	]);
	readonly records: Record<Kind, HubspotRecord[]> = {
		...{ contacts: [], calls: [], notes: [], tasks: [] },
	};
	/** The files of its file manager, by ID. */
	readonly files = new Map<string, string>();
	protected readonly creates = { customer: /\/contacts$/, call: /\/calls$/, task: /\/tasks$/ };
	protected override readonly customerList = this.records.contacts;
	protected override readonly callList = this.records.calls;
	protected override readonly taskList = this.records.tasks;

	constructor() {
		super(['api.hubapi.com'], (request) => hasToken(request, TOKEN));
		const objects = '/crm/objects/2026-03/:kind(contacts|calls|notes|tasks)';
		this.on<Search>('POST', `${objects}/search`, ({ params, body }) =>
			this.search(params.kind as Kind, body),
		);
		this.on<Creation>('POST', objects, ({ params, body }) => this.add(params.kind as Kind, body));
		// Changes those that are there. Names the others, without an error status.
		this.on<Batch>('POST', `${objects}/batch/update`, ({ params, body: { inputs } }) => {
			const kind = params.kind as Kind;
			const known = inputs.filter((input) => this.records[kind].some(({ id }) => id === input.id));
			const results = known.map((input) => this.change(kind, input.id, input.properties));
			const isComplete = known.length === inputs.length;
			return { ...COMPLETE, results, ...(!isComplete && { numErrors: 1, errors: [FAULT] }) };
		});
		this.on<Creation>('PATCH', `${objects}/:id`, ({ params: { kind, id = '' }, body }) =>
			this.change(kind as Kind, id, body.properties),
		);
		this.on<Buffer>('POST', '/files/v3/files', ({ body }) => {
			const id = String(9000 + this.files.size);
			const text = body.toString('latin1');
			if (!/name="options"\r\n\r\n\{ "access": "PRIVATE" \}/.test(text))
				throw refused('access is required');
			this.files.set(id, text);
			return { id, access: 'PRIVATE', ...ALIVE };
		});
		// n8n's test of a credential requests it.
		this.on('GET', '/account-info/v3/details', () => ({ portalId: 123456 }));
		this.on('GET', '/crm/v3/owners', ({ query }) => ({
			results: [...this.users]
				.map(([id, firstName]) => ({ id, firstName, email: `${id}@x.example` }))
				.filter(({ email }) => email === query.email)
				.map((user) => ({ ...user, type: 'PERSON', ...ALIVE })),
		}));
	}

	override notes() {
		return this.records.notes.map(({ properties }) => properties.hs_note_body ?? '');
	}

	override credential() {
		return { appToken: TOKEN };
	}

	addCustomer(lastname: string, phone: string, owner = ''): void {
		this.create('contacts', { lastname, phone, hubspot_owner_id: owner }, [], 0);
	}

	protected override nameOf({ properties }: HubspotRecord) {
		return properties.lastname;
	}

	protected callOf({ properties, contacts }: HubspotRecord) {
		return {
			callId: properties.hs_call_external_id ?? '',
			customer: contacts.map((id) => this.nameWith(id)).join(),
			text: properties.hs_call_title ?? '',
			body: this.files.get(properties.hs_attachment_ids ?? '') ?? '',
			user: properties.hubspot_owner_id ?? '',
		};
	}

	protected taskOf({ properties, contacts }: HubspotRecord) {
		return {
			customer: contacts.map((id) => this.nameWith(id)).join(),
			isOpen: properties.hs_task_status !== 'COMPLETED',
			user: properties.hubspot_owner_id ?? '',
		};
	}

	protected reopen({ properties }: HubspotRecord): void {
		properties.hs_task_status = 'NOT_STARTED';
	}

	private search(kind: Kind, { filterGroups, sorts = [], limit, properties = [] }: Search): object {
		if (filterGroups.length > 5 || !(limit >= 1 && limit <= 200))
			throw refused('Too many filter groups, or a wrong limit');
		const filters = filterGroups.flatMap((group) => group.filters);
		for (const { propertyName } of [...filters, ...sorts]) check(kind, propertyName);
		for (const name of properties) check(kind, name);
		if (filters.some(({ operator, value }) => !OPERATORS.includes(operator) || !value))
			throw refused('A filter needs an operator and a value');
		if (sorts.some(({ direction }) => direction !== 'ASCENDING')) throw refused('sorts');
		const found = this.records[kind]
			.filter(isFound)
			.filter((record) => filterGroups.some((group) => group.filters.every(matches(record))));
		// The oldest first, as they are stored.
		return { total: found.length, results: found.slice(0, limit).map(shown) };
	}

	private add(kind: Kind, { properties, associations = [] }: Creation): object {
		const contacts = associations.map(({ to }) => this.get('contacts', to.id).id);
		const types = associations.flatMap((one) => one.types.map((type) => type.associationTypeId));
		if (types.some((type) => type !== TO_CONTACT[kind]))
			throw refused(`${types.join()} is no association of ${kind}`);
		checkAll(kind, properties);
		return shown(this.create(kind, properties, contacts));
	}

	private change(kind: Kind, id: string, properties: Properties): object {
		const record = this.get(kind, id);
		checkAll(kind, { ...record.properties, ...properties });
		Object.assign(record.properties, properties);
		return shown(record);
	}

	private get(kind: Kind, id: string): HubspotRecord {
		const found = this.records[kind].find((record) => record.id === id);
		if (!found) throw refused(`No ${kind} with the ID ${id}`, 404, 'OBJECT_NOT_FOUND');
		return found;
	}

	private create(
		kind: Kind,
		properties: Properties,
		contacts: string[],
		foundFrom = foundLater(),
	): HubspotRecord {
		const record = { id: String(this.nextId()), properties, contacts, foundFrom };
		this.records[kind].push(record);
		return record;
	}
}

const TOKEN = 'hubspot-token';

function checkAll(kind: Kind, properties: Properties): void {
	for (const [name, value] of Object.entries(properties)) check(kind, name, value);
	if (kind !== 'contacts' && !properties.hs_timestamp) throw refused('hs_timestamp is required');
}

function check(kind: Kind, name: string, value?: unknown): void {
	if (!PROPERTIES[kind].includes(name)) throw refused(`Property "${name}" does not exist`);
	if (value === undefined) return;
	if (typeof value !== 'string' || VALUES[name]?.includes(value) === false)
		throw refused(`${String(value)} was not valid for ${name}`);
}

/** Fields of all records and of all responses to batches. */
const [createdAt, archived] = ['2026-01-01T00:00:00Z', false];
const ALIVE = { createdAt, updatedAt: createdAt, archived };
const COMPLETE = { status: 'COMPLETE', startedAt: createdAt, completedAt: createdAt };

/** An error of one record in a batch. */
const FAULT = {
	...{ status: 'error', category: 'VALIDATION_ERROR', message: REFUSAL },
	...{ context: {}, links: {}, errors: [] },
};

const shown = ({ id, properties }: HubspotRecord) => ({ id, properties, ...ALIVE });

function read({ properties }: HubspotRecord, name: string): string {
	const source = SEARCHABLE[name];
	if (!source) return properties[name] ?? '';
	const stored = properties[source] ?? '';
	return parsePhoneNumberFromString(stored, 'US')?.nationalNumber ?? digitsOf(stored);
}

/** The operators that the workflow needs. `CONTAINS_TOKEN` takes `*` for any text. */
const OPERATORS = ['EQ', 'CONTAINS_TOKEN'];

const matches =
	(record: HubspotRecord) =>
	({ propertyName, operator, value }: Filter): boolean => {
		const stored = read(record, propertyName);
		if (operator === 'CONTAINS_TOKEN') return stored.includes(value.replaceAll('*', ''));
		return stored === value || String(Date.parse(stored)) === value;
	};

function refused(message: string, status = 400, category = 'VALIDATION_ERROR'): Refused {
	return new Refused(status, { status: 'error', category, message, correlationId: '0' });
}
