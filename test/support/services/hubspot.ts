import type { FastifyRequest } from 'fastify';
import { parsePhoneNumber } from 'libphonenumber-js/max';
import { removeFirst } from './crm';
import type { CrmStandIn } from './crm';
import { bearerOf, REFUSAL, Refused, Service } from './service';

type Kind = 'contacts' | 'calls' | 'tasks';
type Properties = Record<string, string>;

/** A record as HubSpot stores it. Searches find it only from `foundFrom` on. */
export interface HubspotRecord {
	id: string;
	properties: Properties;
	contacts: string[];
	foundFrom: number;
}

/** Records to read, create, or upsert. */
interface Batch {
	inputs: Array<{ id: string; idProperty: string; properties: Properties }>;
}

interface Reading extends Batch {
	idProperty?: string;
	properties: string[];
	propertiesWithHistory: string[];
}

interface Search {
	filterGroups: Array<{
		filters: Array<{ propertyName: string; values: string[]; operator: string }>;
	}>;
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
		...['hs_call_direction', 'hs_call_status'],
	],
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
	readonly records: Record<Kind, HubspotRecord[]> = { contacts: [], calls: [], tasks: [] };
	private readonly unique: Record<Kind, string[]> = { contacts: [], calls: [], tasks: [] };
	private readonly groups = new Set<string>();
	private refusedInBatch: string | undefined;
	private lastId = 1000;

	constructor() {
		super(['api.hubapi.com'], (request) => bearerOf(request) === this.token);
		const objects = '/crm/objects/2026-03/:kind(contacts|calls|tasks)';
		this.app.post('/crm/objects/2026-03/contacts/search', ({ body }) =>
			this.search(body as Search),
		);
		const properties = '/crm/properties/2026-03/:kind(contacts|calls|tasks)';
		this.app.post(`${properties}/groups`, (request, reply) =>
			reply.code(201).send(this.addGroup(kindOf(request), request.body as GroupOrder)),
		);
		this.app.post(properties, (request, reply) =>
			reply.code(201).send(this.addProperty(kindOf(request), request.body as PropertyOrder)),
		);
		this.app.post(`${objects}/batch/read`, (request, reply) => {
			const found = this.readMany(kindOf(request), request.body as Reading);
			return reply.code(found.numErrors > 0 ? 207 : 200).send(found);
		});
		this.app.post(`${objects}/batch/upsert`, (request, reply) => {
			const isRefused =
				this.refusedInBatch && JSON.stringify(request.body).includes(this.refusedInBatch);
			if (isRefused)
				return reply.code(207).send({ ...COMPLETE, results: [], numErrors: 1, errors: [FAULT] });
			return this.upsert(kindOf(request), request.body as Batch);
		});
		// n8n's test of a credential requests it.
		this.app.get('/account-info/v3/details', () => ACCOUNT);
		this.app.get('/crm/v3/owners', () => ({
			results: [...this.users].map(([id, firstName]) => ({
				...{ id, type: 'PERSON', firstName, lastName: 'Field', email: `${id}@x.example` },
				...ALIVE,
			})),
		}));
		this.app.get(`${objects}/:id`, (request) =>
			shown(this.get(kindOf(request), (request.params as { id: string }).id)),
		);
		this.app.patch(`${objects}/:id`, (request) => {
			const record = this.get(kindOf(request), (request.params as { id: string }).id);
			const { properties } = request.body as { properties: Properties };
			this.checkAll(kindOf(request), { ...record.properties, ...properties });
			Object.assign(record.properties, properties);
			return shown(record);
		});
		this.app.put(`${objects}/:id/associations/default/contacts/:contactId`, (request) => {
			const { id, contactId } = request.params as { id: string; contactId: string };
			return this.associate(this.get(kindOf(request), id), this.get('contacts', contactId));
		});
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
			callId: properties.virtual_pbx_call_id ?? '',
			customer: contacts.map((id) => this.nameOf(id)).join(),
			text: properties.hs_call_title ?? '',
			body: [properties.hs_call_body, properties.hs_call_recording_url].join(),
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

	/** Reopens the newest task, as a user does. */
	reopenTask(): void {
		Object.assign(this.records.tasks.at(-1)?.properties ?? {}, { hs_task_status: 'NOT_STARTED' });
	}

	removeCall(customer: string): void {
		const listed = this.calls();
		removeFirst(this.records.calls, (_, index) => listed[index]?.customer === customer);
	}

	loseAnswers(): void {
		['contacts', 'calls', 'tasks'].forEach((kind) => this.loseAnswer(`/${kind}/batch/upsert`));
	}

	/** Refuses upserts with this text by status 207 with an error and without a result. */
	refuseInBatch(text: string | undefined): void {
		this.refusedInBatch = text;
	}

	/** Changes the title of a customer's first call, as a user does. */
	rename(customer: string, title: string): void {
		const index = this.calls().findIndex((call) => call.customer === customer);
		Object.assign(this.records.calls[index]?.properties ?? {}, { hs_call_title: title });
	}

	private nameOf(wanted: string): string {
		return this.records.contacts.find(({ id }) => id === wanted)?.properties.lastname ?? 'gone';
	}

	private addGroup(kind: Kind, group: GroupOrder): object {
		const key = `${kind}/${group.name}`;
		if (this.groups.has(key)) throw refused(409, 'CONFLICT', `There is a group ${group.name}`);
		if (!group.label) throw refused(400, 'VALIDATION_ERROR', 'label is required');
		this.groups.add(key);
		return { ...group, displayOrder: -1, archived: false };
	}

	private addProperty(kind: Kind, { name, hasUniqueValue, ...rest }: PropertyOrder): object {
		if (PROPERTIES[kind].includes(name) || this.unique[kind].includes(name))
			throw refused(409, 'CONFLICT', `A property named '${name}' already exists.`);
		if (!rest.label || rest.type !== 'string' || rest.fieldType !== 'text')
			throw refused(400, 'VALIDATION_ERROR', 'label, type and fieldType are required');
		if (!this.groups.has(`${kind}/${rest.groupName}`))
			throw refused(400, 'VALIDATION_ERROR', `There is no group ${rest.groupName}`);
		if (hasUniqueValue) this.unique[kind].push(name);
		return { name, hasUniqueValue, ...rest, description: '', options: [] };
	}

	private search({ filterGroups, sorts = [], limit, properties = [] }: Search): object {
		if (filterGroups.length > 5 || !(limit >= 1 && limit <= 200))
			throw refused(400, 'VALIDATION_ERROR', 'Too many filter groups, or a wrong limit');
		const filters = filterGroups.flatMap((group) => group.filters);
		filters.forEach(({ propertyName }) => this.check('contacts', propertyName));
		if (filters.some(({ values, operator }) => operator !== 'IN' || !values.every(Boolean)))
			throw refused(400, 'VALIDATION_ERROR', 'A filter needs IN and values');
		[...properties, ...sorts.map(({ propertyName }) => propertyName)].forEach((name) =>
			this.check('contacts', name),
		);
		const [{ propertyName: sortBy = 'createdate', direction = 'ASCENDING' } = {}] = sorts;
		const sign = direction === 'ASCENDING' ? 1 : -1;
		const found = this.records.contacts
			.filter(({ foundFrom }) => foundFrom <= Date.now())
			.filter((contact) =>
				filterGroups.some((group) =>
					group.filters.every(({ propertyName, values }) =>
						values.includes(read(contact, propertyName)),
					),
				),
			)
			.sort((one, other) => sign * read(one, sortBy).localeCompare(read(other, sortBy)));
		return { total: found.length, results: found.slice(0, limit).map(shown) };
	}

	private readMany(kind: Kind, { idProperty, inputs, properties, ...more }: Reading) {
		// “Required” (developers.hubspot.com, reference 2026-03: batch/read).
		if (!Array.isArray(more.propertiesWithHistory))
			throw refused(400, 'VALIDATION_ERROR', 'propertiesWithHistory is required');
		if (idProperty && !this.unique[kind].includes(idProperty))
			throw refused(400, 'VALIDATION_ERROR', `${idProperty} is no unique property of ${kind}`);
		properties.forEach((name) => this.check(kind, name));
		const isAsked = (record: HubspotRecord) =>
			inputs.some(({ id }) => id === (idProperty ? record.properties[idProperty] : record.id));
		const results = this.records[kind].filter(isAsked).map(shown);
		return { ...COMPLETE, results, numErrors: inputs.length - results.length };
	}

	private upsert(kind: Kind, { inputs }: Batch): object {
		const results = inputs.map(({ id, idProperty, properties }) => {
			if (!this.unique[kind].includes(idProperty))
				throw refused(400, 'VALIDATION_ERROR', `${idProperty} is no unique property of ${kind}`);
			if (!id) throw refused(400, 'VALIDATION_ERROR', 'id must not be empty');
			const known = this.records[kind].find((record) => record.properties[idProperty] === id);
			this.checkAll(kind, { ...known?.properties, ...properties });
			if (known) Object.assign(known.properties, properties);
			const record = known ?? this.create(kind, { ...properties, [idProperty]: id });
			return { ...shown(record), new: !known };
		});
		return { ...COMPLETE, results };
	}

	private associate(record: HubspotRecord, contact: HubspotRecord): object {
		if (!record.contacts.includes(contact.id)) record.contacts.push(contact.id);
		const associationSpec = { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 194 };
		const pair = { from: { id: record.id }, to: { id: contact.id }, associationSpec };
		return { ...COMPLETE, results: [pair] };
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
		if (this.unique[kind].includes(name)) return;
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

interface GroupOrder {
	name: string;
	label: string;
}

interface PropertyOrder {
	name: string;
	label: string;
	groupName: string;
	type: string;
	fieldType: string;
	hasUniqueValue: boolean;
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
	...{ portalId: 123456, accountType: 'STANDARD', timeZone: 'Europe/Moscow', utcOffset: '+03:00' },
	...{ utcOffsetMilliseconds: 10_800_000, companyCurrency: 'USD', additionalCurrencies: [] },
	...{ uiDomain: 'app.hubspot.com', dataHostingLocation: 'na1' },
};

const shown = ({ id, properties }: HubspotRecord) => ({ id, properties, ...ALIVE });

const kindOf = ({ params }: FastifyRequest): Kind => (params as { kind: Kind }).kind;

function read({ properties }: HubspotRecord, name: string): string {
	const source = SEARCHABLE[name];
	if (!source) return properties[name] ?? '';
	const stored = properties[source] ?? '';
	return stored && parsePhoneNumber(stored, 'RU').nationalNumber;
}

function refused(status: number, category: string, message: string): Refused {
	return new Refused(status, { status: 'error', category, message, correlationId: '0' });
}
