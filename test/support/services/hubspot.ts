import type { FastifyRequest } from 'fastify';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { removeFirst } from './crm';
import type { CrmStandIn } from './crm';
import { bearerOf, REFUSAL, Refused, Service } from './service';

type Kind = 'contacts' | 'calls' | 'notes' | 'tasks';
type Properties = Record<string, string>;

/** A record as HubSpot stores it. Searches find it only from `foundFrom` on. */
export interface HubspotRecord {
	id: string;
	properties: Properties;
	contacts: string[];
	foundFrom: number;
}

/** Associations to create with a record. */
interface Creation {
	properties: Properties;
	associations?: Array<{ to: { id: string }; types: Array<{ associationTypeId: number }> }>;
}

interface Filter {
	propertyName: string;
	operator: string;
	value: string;
}

interface Search {
	filterGroups: Array<{ filters: Filter[] }>;
	sorts?: Array<{ propertyName: string; direction: 'ASCENDING' | 'DESCENDING' }>;
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
		...['firstname', 'lastname', 'phone', 'mobilephone', 'hubspot_owner_id', 'createdate'],
		...['lifecyclestage', 'lastmodifieddate', ...Object.keys(SEARCHABLE)],
	],
	calls: [
		...['createdate', 'hs_timestamp', 'hs_call_title', 'hs_call_body', 'hs_call_duration'],
		...['hs_call_from_number', 'hs_call_to_number', 'hs_call_recording_url', 'hubspot_owner_id'],
		...['hs_call_direction', 'hs_call_status', 'hs_call_external_id', 'hs_attachment_ids'],
	],
	notes: ['createdate', 'hs_timestamp', 'hs_note_body'],
	tasks: [
		...['createdate', 'hs_timestamp', 'hs_task_subject', 'hs_task_body', 'hubspot_owner_id'],
		...['hs_task_status', 'hs_task_type'],
	],
};

/** The values of properties that have a list. */
const VALUES: Record<string, string[]> = {
	lifecyclestage: ['customer', 'lead', 'subscriber'],
	hs_call_direction: ['INBOUND', 'OUTBOUND'],
	hs_call_status: [
		...['BUSY', 'CALLING_CRM_USER', 'CANCELED', 'COMPLETED', 'CONNECTING', 'FAILED'],
		...['IN_PROGRESS', 'NO_ANSWER', 'QUEUED', 'RINGING'],
	],
	hs_task_status: ['COMPLETED', 'DEFERRED', 'IN_PROGRESS', 'NOT_STARTED', 'WAITING'],
	hs_task_type: ['CALL', 'EMAIL', 'TODO'],
};

/** HubSpot's documentation says that searches find a new record only after some moments. */
const SEARCH_DELAY_MS = 5000;

/** Simulates HubSpot's documented API, as far as the kit uses it. */
export class Hubspot extends Service implements CrmStandIn {
	override readonly official = 'hubspot';
	readonly kit = 'hubspot';
	readonly title = 'HubSpot';
	readonly address = '';
	readonly credentialType = 'hubspotAppToken';
	/** The users, by ID. One who left is gone from it. */
	readonly users = new Map([
		['77', 'Olga'],
		['88', 'Anna'],
	]);
	/** The valid token. */
	token = 'hubspot-token';
	readonly records: Record<Kind, HubspotRecord[]> = {
		...{ contacts: [], calls: [], notes: [], tasks: [] },
	};
	/** The files of its file manager, by ID. */
	readonly files = new Map<string, string>();
	private lastId = 1000;

	constructor() {
		super(['api.hubapi.com'], (request) => bearerOf(request) === this.token);
		this.app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_, body, done) =>
			done(null, body),
		);
		const objects = '/crm/objects/2026-03/:kind(contacts|calls|notes|tasks)';
		this.app.post(`${objects}/search`, (request) =>
			this.search(kindOf(request), request.body as Search),
		);
		this.app.post(objects, (request, reply) =>
			reply.code(201).send(this.add(kindOf(request), request.body as Creation)),
		);
		this.app.post(`${objects}/batch/update`, (request, reply) => {
			const { inputs } = request.body as { inputs: Array<{ id: string; properties: Properties }> };
			const done = this.updateMany(kindOf(request), inputs);
			return reply.code(done.errors ? 207 : 200).send(done);
		});
		this.app.post('/files/v3/files', (request, reply) => {
			const id = String(9000 + this.files.size);
			const text = (request.body as Buffer).toString('latin1');
			if (!/name="options"\r\n\r\n\{ "access": "PRIVATE" \}/.test(text))
				throw refused(400, 'VALIDATION_ERROR', 'access is required');
			this.files.set(id, text);
			return reply.code(201).send({ id, access: 'PRIVATE', ...ALIVE });
		});
		// n8n's test of a credential requests it.
		this.app.get('/account-info/v3/details', () => ACCOUNT);
		this.app.get('/crm/v3/owners', ({ query }) => ({
			results: [...this.users]
				.filter(([id]) => emailOf(id) === (query as { email?: string }).email)
				.map(([id, firstName]) => ({
					...{ id, type: 'PERSON', firstName, lastName: 'Field', email: emailOf(id) },
					...ALIVE,
				})),
		}));
		this.app.patch(`${objects}/:id`, (request) => {
			const record = this.get(kindOf(request), (request.params as { id: string }).id);
			const { properties } = request.body as { properties: Properties };
			this.checkAll(kindOf(request), { ...record.properties, ...properties });
			Object.assign(record.properties, properties);
			return shown(record);
		});
	}

	notes() {
		return this.records.notes.map(({ properties }) => properties.hs_note_body ?? '');
	}

	credential() {
		return { appToken: this.token };
	}

	addCustomer(lastname: string, phone: string, owner = ''): void {
		this.create('contacts', { lastname, phone, hubspot_owner_id: owner }, 0);
	}

	removeCustomer(name: string): void {
		removeFirst(this.records.contacts, (one) => this.nameOf(one.id) === name);
	}

	customers() {
		return this.records.contacts.map(({ properties }) => properties.lastname ?? '');
	}

	calls() {
		return this.records.calls.map(({ properties, contacts }) => ({
			callId: properties.hs_call_external_id ?? '',
			customer: contacts.map((id) => this.nameOf(id)).join(),
			text: properties.hs_call_title ?? '',
			body: [properties.hs_call_body, this.files.get(properties.hs_attachment_ids ?? '')].join(),
			user: properties.hubspot_owner_id ?? '',
		}));
	}

	tasks() {
		return this.records.tasks.map(({ properties, contacts }) => ({
			customer: contacts.map((id) => this.nameOf(id)).join(),
			isOpen: properties.hs_task_status !== 'COMPLETED',
			user: properties.hubspot_owner_id ?? '',
		}));
	}

	removeTask(customer: string): void {
		const listed = this.tasks();
		removeFirst(this.records.tasks, (_, index) => listed[index]?.customer === customer);
	}

	/** Reopens a customer's tasks, as a user does. */
	reopenTask(customer: string): void {
		this.tasks().forEach((task, index) => {
			const { properties = {} } = this.records.tasks[index] ?? {};
			if (task.customer === customer) properties.hs_task_status = 'NOT_STARTED';
		});
	}

	removeCall(customer: string): void {
		const listed = this.calls();
		removeFirst(this.records.calls, (_, index) => listed[index]?.customer === customer);
	}

	afterCall(act: () => Promise<unknown>): void {
		this.loseAnswer(/\/calls$/, 'POST', act);
	}

	loseAnswers(): void {
		['contacts', 'calls', 'tasks'].forEach((kind) => this.loseAnswer(new RegExp(`/${kind}$`)));
	}

	/** Changes the title of a customer's first call, as a user does. */
	rename(customer: string, title: string): void {
		const index = this.calls().findIndex((call) => call.customer === customer);
		Object.assign(this.records.calls[index]?.properties ?? {}, { hs_call_title: title });
	}

	private nameOf(wanted: string): string {
		return this.records.contacts.find(({ id }) => id === wanted)?.properties.lastname ?? 'gone';
	}

	private search(kind: Kind, { filterGroups, sorts = [], limit, properties = [] }: Search): object {
		if (filterGroups.length > 5 || !(limit >= 1 && limit <= 200))
			throw refused(400, 'VALIDATION_ERROR', 'Too many filter groups, or a wrong limit');
		const filters = filterGroups.flatMap((group) => group.filters);
		const used = [...filters, ...sorts].map(({ propertyName }) => propertyName);
		[...properties, ...used].forEach((name) => this.check(kind, name));
		if (filters.some(({ operator, value }) => !OPERATORS.includes(operator) || !value))
			throw refused(400, 'VALIDATION_ERROR', 'A filter needs an operator and a value');
		const [{ propertyName: sortBy = 'createdate', direction = 'ASCENDING' } = {}] = sorts;
		const sign = direction === 'ASCENDING' ? 1 : -1;
		const found = this.records[kind]
			.filter(({ foundFrom }) => foundFrom <= Date.now())
			.filter((record) => filterGroups.some((group) => group.filters.every(matches(record))))
			.sort((one, other) => sign * read(one, sortBy).localeCompare(read(other, sortBy)));
		return { total: found.length, results: found.slice(0, limit).map(shown) };
	}

	private add(kind: Kind, { properties, associations = [] }: Creation): object {
		this.checkAll(kind, properties);
		const contacts = associations.map(({ to }) => this.get('contacts', to.id).id);
		const types = associations.flatMap((one) => one.types.map((type) => type.associationTypeId));
		if (types.some((type) => type !== TO_CONTACT[kind]))
			throw refused(400, 'VALIDATION_ERROR', `${types.join()} is no association of ${kind}`);
		const record = this.create(kind, properties);
		record.contacts.push(...contacts);
		return shown(record);
	}

	/** Changes those that are there. Names the others, without an error status. */
	private updateMany(kind: Kind, inputs: Array<{ id: string; properties: Properties }>) {
		const known = inputs.filter(({ id }) => this.records[kind].some((record) => record.id === id));
		const results = known.map(({ id, properties }) => {
			const record = this.get(kind, id);
			this.checkAll(kind, { ...record.properties, ...properties });
			Object.assign(record.properties, properties);
			return shown(record);
		});
		const isComplete = known.length === inputs.length;
		return { ...COMPLETE, results, ...(!isComplete && { numErrors: 1, errors: [FAULT] }) };
	}

	private get(kind: Kind, id: string): HubspotRecord {
		const found = this.records[kind].find((record) => record.id === id);
		if (!found) throw refused(404, 'OBJECT_NOT_FOUND', `No ${kind} with the ID ${id}`);
		return found;
	}

	private create(
		kind: Kind,
		properties: Properties,
		foundFrom = Date.now() + SEARCH_DELAY_MS,
	): HubspotRecord {
		this.lastId += 1;
		const createdate = new Date(Date.UTC(2026, 0, 1) + this.lastId * 1000).toISOString();
		const record = { id: String(this.lastId), contacts: [], foundFrom };
		this.records[kind].push({ ...record, properties: { createdate, ...properties } });
		return this.get(kind, record.id);
	}

	private checkAll(kind: Kind, properties: Properties): void {
		Object.entries(properties).forEach(([name, value]) => this.check(kind, name, value));
		if (kind !== 'contacts' && !properties.hs_timestamp)
			throw refused(400, 'VALIDATION_ERROR', 'hs_timestamp is required');
	}

	private check(kind: Kind, name: string, value?: unknown): void {
		if (!PROPERTIES[kind].includes(name))
			throw refused(400, 'VALIDATION_ERROR', `Property "${name}" does not exist`);
		if (value === undefined) return;
		const isOwner = name !== 'hubspot_owner_id' || value === '' || this.users.has(String(value));
		// Only https (developers.hubspot.com, engagements: calls).
		const isPlayable = name !== 'hs_call_recording_url' || String(value).startsWith('https://');
		if (
			typeof value !== 'string' ||
			VALUES[name]?.includes(value) === false ||
			!isOwner ||
			!isPlayable
		)
			throw refused(400, 'VALIDATION_ERROR', `${String(value)} was not valid for ${name}`);
	}
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

/** An account (reference of 2026-03: Retrieve account details). */
const ACCOUNT = {
	...{
		portalId: 123456,
		accountType: 'STANDARD',
		timeZone: 'America/New_York',
		utcOffset: '-05:00',
	},
	...{ utcOffsetMilliseconds: -18_000_000, companyCurrency: 'USD', additionalCurrencies: [] },
	...{ uiDomain: 'app.hubspot.com', dataHostingLocation: 'na1' },
};

const shown = ({ id, properties }: HubspotRecord) => ({ id, properties, ...ALIVE });

const kindOf = ({ params }: FastifyRequest): Kind => (params as { kind: Kind }).kind;

function read({ properties }: HubspotRecord, name: string): string {
	const source = SEARCHABLE[name];
	if (!source) return properties[name] ?? '';
	const stored = properties[source] ?? '';
	return (
		stored &&
		(parsePhoneNumberFromString(stored, 'US')?.nationalNumber ?? stored.replace(/\D/g, ''))
	);
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

/** Types of the association with a contact (developers.hubspot.com, associations: type IDs). */
const TO_CONTACT: Record<Kind, number> = { contacts: 449, calls: 194, notes: 202, tasks: 204 };

const emailOf = (id: string) => `${id}@x.example`;

function refused(status: number, category: string, message: string): Refused {
	return new Refused(status, { status: 'error', category, message, correlationId: '0' });
}
