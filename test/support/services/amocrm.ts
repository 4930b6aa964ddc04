import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerOf, Refused, Service, wrongField } from './service';
import type { Fields } from './service';

type Entry = Record<string, unknown>;

export interface AmoContact {
	id: number;
	name: string;
	responsible_user_id: number;
	custom_fields_values: Array<{ field_code: string; values: Array<{ value: string }> }>;
}

/** A deal, which amoCRM calls a lead. */
export interface AmoLead {
	id: number;
	name: string;
	contactId: number;
}

export interface AmoCall {
	id: number;
	contactId: number;
	uniq: string;
	direction: string;
	call_status: number;
	duration: number;
	responsible_user_id?: number;
	link?: string;
	/** The note's type, as the notes API shows it. */
	note_type: string;
	updated_at: number;
}

/** A deal's related entries in one request. */
interface Complex {
	_embedded: { contacts: Entry[] };
}

/** A note written by a user or the workflow. */
export interface AmoNote {
	id: number;
	entity_id: number;
	params: { text: string };
	updated_at: number;
}

export interface AmoTask {
	id: number;
	text: string;
	entity_id: number;
	is_completed: boolean;
	responsible_user_id?: number;
}

/** The fields that amoCRM's fourth version documents for writing. */
const FIELDS = {
	contact: {
		string: ['first_name'],
		number: ['responsible_user_id'],
		object: ['custom_fields_values'],
	},
	lead: { string: ['name'], number: ['responsible_user_id'], object: ['_embedded'] },
	call: {
		string: ['direction', 'uniq', 'source', 'link', 'phone', 'call_result'],
		number: ['duration', 'call_status', 'responsible_user_id', 'created_at'],
	},
	task: {
		string: ['text', 'entity_type'],
		number: ['task_type_id', 'complete_till', 'entity_id', 'responsible_user_id'],
		boolean: ['is_completed'],
		object: ['result'],
	},
	note: { string: ['note_type'], object: ['params'] },
} satisfies Record<string, Fields>;

/** The user who owns the token. */
const ADMIN = 1;

/** Simulates amoCRM's documented API, as far as the kit uses it. */
export class Amocrm extends Service {
	/** The valid token. */
	token = 'amocrm-token';
	/** Its address, as a user enters it. */
	readonly address = 'https://example.amocrm.ru';
	readonly contacts: AmoContact[] = [];
	readonly leads: AmoLead[] = [];
	readonly calls: AmoCall[] = [];
	readonly tasks: AmoTask[] = [];
	readonly notes: AmoNote[] = [];

	constructor() {
		super(['example.amocrm.ru'], (request) => bearerOf(request) === this.token);
		this.app.addHook('onSend', async (_request, reply) => {
			void reply.type('application/hal+json');
		});
		this.app.get('/api/v4/contacts', async ({ query }, reply) => {
			await page(reply, 'contacts', this.search(query as Record<string, string>));
		});
		this.app.post('/api/v4/leads/complex', (request) => {
			const { name, _embedded } = only<AmoLead & Complex>('lead', request, []);
			const [given = {}, ...more] = _embedded.contacts;
			if (more.length > 0) throw invalid('_embedded.contacts');
			const { first_name, ...fields } = check('contact', given) as Entry & AmoContact;
			const contact = { ...fields, id: this.contacts.length + 1, name: String(first_name) };
			contact.responsible_user_id ??= ADMIN;
			this.contacts.push(contact);
			const lead = { id: this.leads.length + 1, name, contactId: contact.id };
			this.leads.push(lead);
			return [
				{ id: lead.id, contact_id: contact.id, company_id: null, request_id: ['0'], merged: false },
			];
		});
		this.app.post('/api/v4/calls', (request) => {
			const required = ['direction', 'duration', 'source', 'phone'];
			const id = this.addCall(only<AmoCall & { phone: string }>('call', request, required));
			return {
				_total_items: 1,
				errors: [],
				_embedded: { calls: [{ id, entity_type: 'contact' }] },
			};
		});
		const notes = '/api/v4/:kind(contacts|leads)';
		this.app.get(`${notes}/notes`, async ({ params, query }, reply) => {
			const { kind } = params as { kind: string };
			await page(reply, 'notes', this.listNotes(kind, query as Record<string, string>));
		});
		this.app.patch(`${notes}/:entity/notes/:id`, ({ params, body }) => {
			const { entity, id } = params as { entity: string; id: string };
			const call = this.calls.find((one) => String(one.id) === id);
			if (String(call?.contactId) !== entity || !call) throw new Refused(404, { status: 404 });
			const { note_type, params: changed } = body as { note_type: string; params: Entry };
			if (note_type !== call.note_type) throw invalid('note_type');
			Object.assign(call, changed);
			return { id: call.id, entity_id: call.contactId };
		});
		this.app.get('/api/v4/contacts/:id/notes', async ({ params, query }, reply) => {
			const { id } = params as { id: string };
			const asked = query as Record<string, string>;
			if (asked['filter[note_type][]'] !== 'common') throw invalid('filter[note_type][]');
			const since = sinceOf(asked);
			const found = this.notes.filter(
				({ entity_id, updated_at }) => String(entity_id) === id && updated_at >= since,
			);
			await page(reply, 'notes', found);
		});
		this.app.post('/api/v4/contacts/:id/notes', (request) => {
			const { id } = request.params as { id: string };
			const { params, note_type } = only<AmoNote & { note_type: string }>('note', request, []);
			if (note_type !== 'common' || !params.text) throw invalid('note_type');
			if (!this.contacts.some((contact) => String(contact.id) === id)) throw invalid('id');
			const note = { id: this.notes.length + 1, entity_id: Number(id), params, updated_at: now() };
			this.notes.push(note);
			return { _embedded: { notes: [{ id: note.id, entity_id: note.entity_id }] } };
		});
		this.app.get('/api/v4/tasks', async ({ query }, reply) => {
			const asked = query as Record<string, string>;
			if (asked['filter[entity_type]'] !== 'contacts') throw invalid('filter[entity_type]');
			const tasks = this.tasks.filter(
				({ entity_id }) => String(entity_id) === asked['filter[entity_id][]'],
			);
			await page(reply, 'tasks', tasks);
		});
		this.app.post('/api/v4/tasks', (request) => {
			const task = only<AmoTask>('task', request, ['text', 'complete_till']);
			if (!this.contacts.some(({ id }) => id === task.entity_id)) throw invalid('entity_id');
			this.tasks.push({ ...task, is_completed: false, id: this.tasks.length + 1 });
			return { _embedded: { tasks: [{ id: this.tasks.length, request_id: '0' }] } };
		});
		this.app.patch('/api/v4/tasks/:id', ({ params, body }) => {
			const { id } = params as { id: string };
			const task = this.tasks.find((one) => String(one.id) === id);
			if (!task) throw new Refused(404, { title: 'Not found', status: 404 });
			return Object.assign(task, check('task', body as Entry));
		});
	}

	/** Adds a contact as a user of amoCRM would. */
	addContact(name: string, phone: string, responsible_user_id: number): void {
		const custom_fields_values = [{ field_code: 'PHONE', values: [{ value: phone }] }];
		const id = this.contacts.length + 1;
		this.contacts.push({ id, name, responsible_user_id, custom_fields_values });
	}

	/** Searches for the digits in all fields, as the documentation says. */
	private search({ query = '', limit, ...more }: Record<string, string>): AmoContact[] {
		const unknown = Object.keys(more).find((name) => name !== 'order[updated_at]');
		if (unknown) throw invalid(unknown);
		if (!(Number(limit) >= 1 && Number(limit) <= 250)) throw invalid('limit');
		const isFound = (contact: AmoContact) =>
			[contact.name, ...phonesOf(contact)].some((text) => digitsOf(text).includes(query));
		return this.contacts.filter(isFound).slice(0, Number(limit));
	}

	/** Adds a call to the contact with exactly this number. Rejects it without one. */
	private addCall({ phone, ...call }: AmoCall & { phone: string }): number {
		if (!['inbound', 'outbound'].includes(call.direction)) throw invalid('direction');
		if (!(call.call_status >= 1 && call.call_status <= 7)) throw invalid('call_status');
		const hasPhone = (contact: AmoContact) =>
			phonesOf(contact).some((value) => digitsOf(value) === digitsOf(phone));
		const contact = this.contacts.find(hasPhone);
		if (!contact) {
			const errors = [{ title: 'Entity not found', status: 263, request_id: '0' }];
			throw new Refused(400, { _total_items: 0, errors, _embedded: { calls: [] } });
		}
		const note_type = call.direction === 'inbound' ? 'call_in' : 'call_out';
		const id = this.calls.length + 1;
		this.calls.push({ ...call, id, contactId: contact.id, note_type, updated_at: now() });
		return id;
	}

	/** Lists calls as notes of their contacts. Deals have none here. */
	private listNotes(kind: string, query: Record<string, string>): object[] {
		const since = sinceOf(query);
		return this.calls
			.filter(({ note_type }) => kind === 'contacts' && note_type === query['filter[note_type][]'])
			.filter(({ updated_at }) => updated_at >= since)
			.map(({ id, contactId, note_type, uniq, link, duration }) => ({
				...{ id, entity_id: contactId, note_type },
				params: { uniq, duration, ...(link && { link }) },
			}));
	}
}

/** Reads the start of the range of notes. Rejects a list without one, or with too many. */
function sinceOf(query: Record<string, string>): number {
	const since = Number(query['filter[updated_at][from]']);
	if (!since || !(Number(query.limit) <= 250)) throw invalid('filter');
	return since;
}

const now = (): number => Math.floor(Date.now() / 1000);

const digitsOf = (text: string): string => text.replace(/\D/g, '');

const phonesOf = ({ custom_fields_values }: AmoContact): string[] =>
	custom_fields_values.flatMap(({ values }) => values.map(({ value }) => value));

/** Sends a page of entries. amoCRM's response is empty if there are none. */
async function page(reply: FastifyReply, kind: string, entries: object[]): Promise<void> {
	if (entries.length === 0) await reply.code(204).send();
	else await reply.send({ _page: 1, _embedded: { [kind]: entries } });
}

/** Reads the one entry of a body, which amoCRM takes as a list. */
function only<T>(kind: keyof typeof FIELDS, { body }: FastifyRequest, required: string[]): T {
	if (!Array.isArray(body) || body.length !== 1) throw invalid('0');
	return check(kind, body[0] as Entry, required) as T;
}

function check(kind: keyof typeof FIELDS, given: Entry, required: string[] = []): Entry {
	const wrong = wrongField(given, FIELDS[kind], required);
	if (wrong) throw invalid(wrong);
	return given;
}

function invalid(path: string): Refused {
	const errors = [{ code: 'InvalidType', path, detail: 'This value is not valid.' }];
	return new Refused(400, {
		...{ title: 'Bad Request', status: 400, detail: 'Request validation failed' },
		'validation-errors': [{ request_id: '0', errors }],
	});
}
