import type { FastifyRequest } from 'fastify';
import { bearerOf, Refused, Service } from './service';

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
	idProperty: string;
	properties: string[];
}

interface Search {
	filterGroups: Array<{
		filters: Array<{ propertyName: string; values: string[]; operator: string }>;
	}>;
	sorts?: Array<{ propertyName: string; direction: 'ASCENDING' | 'DESCENDING' }>;
	limit: number;
	properties?: string[];
}

/** The searchable form of numbers in HubSpot: the area code and the local number. */
const SEARCHABLE: Record<string, string> = {
	hs_searchable_calculated_phone_number: 'phone',
	hs_searchable_calculated_mobile_number: 'mobilephone',
};

/** HubSpot's own properties that the kit uses. */
const PROPERTIES: Record<Kind, string[]> = {
	contacts: [
		...['firstname', 'lastname', 'phone', 'mobilephone', 'hubspot_owner_id', 'createdate'],
		...['lifecyclestage', ...Object.keys(SEARCHABLE)],
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
export class Hubspot extends Service {
	/** The valid token. */
	token = 'hubspot-token';
	readonly records: Record<Kind, HubspotRecord[]> = { contacts: [], calls: [], tasks: [] };
	private readonly unique: Record<Kind, string[]> = { contacts: [], calls: [], tasks: [] };
	private readonly groups = new Set<string>();
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
		this.app.post(`${objects}/batch/create`, (request, reply) =>
			reply.code(201).send(this.createNew(kindOf(request), request.body as Batch)),
		);
		this.app.post(`${objects}/batch/upsert`, (request) =>
			this.upsert(kindOf(request), request.body as Batch),
		);
		this.app.put(`${objects}/:id/associations/default/contacts/:contactId`, (request) => {
			const { id, contactId } = request.params as { id: string; contactId: string };
			return this.associate(this.get(kindOf(request), id), this.get('contacts', contactId));
		});
	}

	/** Adds a contact as a user of HubSpot would have, long ago. */
	addContact(properties: Properties): HubspotRecord {
		return this.create('contacts', properties, 0);
	}

	private addGroup(kind: Kind, group: GroupOrder): object {
		const key = `${kind}/${group.name}`;
		if (this.groups.has(key)) throw refused(409, 'CONFLICT', `There is a group ${group.name}`);
		if (!group.label) throw refused(400, 'VALIDATION_ERROR', 'label is required');
		this.groups.add(key);
		return group;
	}

	private addProperty(kind: Kind, { name, hasUniqueValue, ...rest }: PropertyOrder): object {
		if (PROPERTIES[kind].includes(name) || this.unique[kind].includes(name))
			throw refused(409, 'CONFLICT', `A property named '${name}' already exists.`);
		if (!rest.label || rest.type !== 'string' || rest.fieldType !== 'text')
			throw refused(400, 'VALIDATION_ERROR', 'label, type and fieldType are required');
		if (!this.groups.has(`${kind}/${rest.groupName}`))
			throw refused(400, 'VALIDATION_ERROR', `There is no group ${rest.groupName}`);
		if (hasUniqueValue) this.unique[kind].push(name);
		return { name, hasUniqueValue, ...rest };
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
		return { total: found.length, results: found.slice(0, limit) };
	}

	private readMany(kind: Kind, { idProperty, inputs, properties }: Reading) {
		if (!this.unique[kind].includes(idProperty))
			throw refused(400, 'VALIDATION_ERROR', `${idProperty} is no unique property of ${kind}`);
		properties.forEach((name) => this.check(kind, name));
		const isAsked = (record: HubspotRecord) =>
			inputs.some(({ id }) => id === record.properties[idProperty]);
		const results = this.records[kind].filter(isAsked);
		return { status: 'COMPLETE', results, numErrors: inputs.length - results.length };
	}

	/** Rejects a value of a unique property that another record has. */
	private createNew(kind: Kind, { inputs }: Batch): object {
		const results = inputs.map(({ properties, ...more }) => {
			if (Object.keys(more).length > 0)
				throw refused(400, 'VALIDATION_ERROR', `Unknown: ${Object.keys(more).join()}`);
			this.checkAll(kind, properties);
			const taken = this.unique[kind].find((name) =>
				this.records[kind].some((record) => record.properties[name] === properties[name]),
			);
			if (taken) throw refused(409, 'CONFLICT', `Another record has this value of ${taken}`);
			return this.create(kind, properties);
		});
		return { status: 'COMPLETE', results };
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
			return { id: record.id, properties: record.properties, new: !known, archived: false };
		});
		return { status: 'COMPLETE', results };
	}

	private associate(record: HubspotRecord, contact: HubspotRecord): object {
		if (!record.contacts.includes(contact.id)) record.contacts.push(contact.id);
		return { status: 'COMPLETE', results: [{ from: { id: record.id }, to: { id: contact.id } }] };
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
		const createdate = new Date().toISOString();
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
		if (typeof value !== 'string' || VALUES[name]?.includes(value) === false)
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

const kindOf = ({ params }: FastifyRequest): Kind => (params as { kind: Kind }).kind;

function read({ properties }: HubspotRecord, name: string): string {
	const source = SEARCHABLE[name];
	if (!source) return properties[name] ?? '';
	return (properties[source] ?? '').replace(/\D/g, '').slice(-10);
}

function refused(status: number, category: string, message: string): Refused {
	return new Refused(status, { status: 'error', category, message, correlationId: '0' });
}
