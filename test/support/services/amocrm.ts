import type { FastifyReply, FastifyRequest } from 'fastify';
import { removeFirst } from './crm';
import type { CrmStandIn } from './crm';
import { bearerOf, Refused, Service, wrongField } from './service';
import type { Fields } from './service';

type Entry = Record<string, unknown>;

interface AmoContact {
	id: number;
	updated_at: number;
	foundFrom: number;
	name: string;
	responsible_user_id: number;
	custom_fields_values: Array<{ field_code: string; values: Array<{ value: string }> }>;
}

/** A deal, which amoCRM calls a lead. */
interface AmoLead {
	id: number;
	name: string;
	contactId: number;
}

interface AmoCall {
	id: number;
	contactId: number;
	uniq: string;
	direction: string;
	call_status: number;
	duration: number;
	call_responsible?: number;
	created_by?: number;
	call_result?: string;
	link?: string;
	/** The note's type, as the notes API shows it. */
	note_type: string;
	updated_at: number;
}

/** A deal's related entries in one request. */
interface Complex {
	_embedded: { contacts: Entry[] };
}

interface AmoTask {
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
		number: ['duration', 'call_status', 'responsible_user_id', 'created_by', 'created_at'],
		any: ['call_responsible'],
	},
	task: {
		string: ['text', 'entity_type'],
		number: ['task_type_id', 'complete_till', 'entity_id', 'responsible_user_id'],
		boolean: ['is_completed'],
		object: ['result'],
	},
} satisfies Record<string, Fields>;

/** The user who owns the token. */
const ADMIN = 66;
const USERS = [ADMIN, 77, 88];

/** How long a search doesn't find a new contact; amoCRM names no time. */
const SEARCH_DELAY_MS = 5000;

/** Simulates amoCRM's documented API, as far as the kit uses it. */
export class Amocrm extends Service implements CrmStandIn {
	readonly kit = 'amocrm';
	readonly title = 'amoCRM';
	readonly credentialType = 'httpBearerAuth';
	/** The numbers and users of the pop-ups. */
	readonly popUps: Array<{ phone_number: string; users: number[] }> = [];
	/** The valid token. */
	token = 'amocrm-token';
	/** Its address, as a user enters it. */
	readonly address = 'https://example.amocrm.ru';
	private readonly contacts: AmoContact[] = [];
	private readonly leads: AmoLead[] = [];
	private readonly entries: AmoCall[] = [];
	private readonly allTasks: AmoTask[] = [];
	private readonly written: string[] = [];
	private lastId = 0;

	constructor() {
		super(['example.amocrm.ru'], (request) => bearerOf(request) === this.token);
		this.app.addHook('onSend', async (_request, reply) => {
			void reply.type('application/hal+json');
		});
		this.app.get('/api/v4/users', async (_, reply) => {
			await page(
				reply,
				'users',
				USERS.slice(1).map((id) => ({ id, name: `User ${id}`, email: `${id}@x.example` })),
			);
		});
		this.app.post('/api/v2/events/', ({ body }) => {
			const { add } = body as { add: Array<{ type: string } & Amocrm['popUps'][number]> };
			if (add.some(({ type, users }) => type !== 'phone_call' || users.length === 0))
				throw invalid('add');
			this.popUps.push(...add);
			return {};
		});
		this.app.get('/api/v4/account', () => ({ id: 1, name: 'Company' }));
		this.app.get('/api/v4/contacts', async ({ query }, reply) => {
			await page(reply, 'contacts', this.search(query as Record<string, string>));
		});
		this.app.post('/api/v4/leads/complex', (request) => {
			const { name, _embedded } = only<AmoLead & Complex>('lead', request, []);
			const [given = {}, ...more] = _embedded.contacts;
			if (more.length > 0) throw invalid('_embedded.contacts');
			const { first_name, ...fields } = check('contact', given) as Entry & AmoContact;
			const contact = { ...fields, id: this.nextId(), name: String(first_name) };
			contact.responsible_user_id ??= ADMIN;
			contact.foundFrom = Date.now() + SEARCH_DELAY_MS;
			contact.updated_at = now();
			this.contacts.push(contact);
			const lead = { id: this.nextId(), name, contactId: contact.id };
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
		const notes = '/api/v4/:kind(contacts|leads|companies)';
		this.app.get(`${notes}/notes`, async ({ params, query }, reply) => {
			const { kind } = params as { kind: string };
			const asked = query as Record<string, string>;
			await page(reply, 'notes', this.listNotes(kind, asked).slice(0, Number(asked.limit)));
		});
		this.app.post('/api/v4/contacts/:id/notes', ({ params, body }) => {
			const [note] = body as Array<{ note_type: string; params: { text: string } }>;
			const { id } = params as { id: string };
			if (!this.contacts.some((one) => String(one.id) === id)) throw invalid('id');
			if (note?.note_type !== 'common' || !note.params.text) throw invalid('note_type');
			this.written.push(note.params.text);
			return { _embedded: { notes: [{ id: this.nextId(), request_id: '0' }] } };
		});
		this.app.get('/api/v4/tasks', async ({ query }, reply) => {
			const asked = query as Record<string, string>;
			const entity = asked['filter[entity_id][]'];
			if (asked['filter[entity_type]'] !== 'contacts') throw invalid('filter');
			const tasks = this.allTasks.filter(({ entity_id }) => String(entity_id) === entity);
			await page(reply, 'tasks', tasks);
		});
		this.app.get('/api/v4/tasks/:id', ({ params }) => this.taskOf((params as { id: string }).id));
		this.app.post('/api/v4/tasks', (request) => {
			const task = only<AmoTask>('task', request, ['text', 'complete_till']);
			if (!this.contacts.some(({ id }) => id === task.entity_id)) throw invalid('entity_id');
			const id = this.nextId();
			this.allTasks.push({ ...task, is_completed: false, id });
			return { _embedded: { tasks: [{ id, request_id: '0' }] } };
		});
		this.app.patch('/api/v4/tasks/:id', ({ params, body }) => {
			const { id } = params as { id: string };
			const task = this.taskOf(id);
			// It would lose the result that a user wrote.
			if (task.is_completed) throw invalid('is_completed');
			return Object.assign(task, check('task', body as Entry));
		});
	}

	credential() {
		return { token: this.token };
	}

	addCustomer(name: string, phone: string, owner = String(ADMIN)): void {
		const custom_fields_values = [{ field_code: 'PHONE', values: [{ value: phone }] }];
		const own = { id: this.nextId(), responsible_user_id: Number(owner), foundFrom: 0 };
		this.contacts.push({ ...own, name, custom_fields_values, updated_at: this.lastId });
	}

	removeCustomer(name: string): void {
		removeFirst(this.contacts, (contact) => contact.name === name);
	}

	removeTask(customer: string): void {
		removeFirst(this.allTasks, ({ entity_id }) => this.nameOf(entity_id) === customer);
	}

	/** Reopens a customer's tasks, as a user does. */
	reopenTask(customer: string): void {
		for (const task of this.allTasks)
			if (this.nameOf(task.entity_id) === customer) task.is_completed = false;
	}

	afterCall(act: () => Promise<unknown>): void {
		this.loseAnswer('/calls', 'POST', act);
	}

	removeCall(customer: string): void {
		removeFirst(this.entries, ({ contactId }) => this.nameOf(contactId) === customer);
	}

	loseAnswers(): void {
		['/leads/complex', '/calls', '/tasks'].forEach((path) => this.loseAnswer(path));
	}

	customers() {
		return this.contacts.map(({ name }) => name);
	}

	notes() {
		return this.written;
	}

	calls() {
		return this.entries.map((call) => ({
			callId: call.uniq,
			customer: this.nameOf(call.contactId),
			text: call.call_result ?? '',
			body: [call.link, call.call_result].join(' '),
			user: String(call.call_responsible ?? ''),
		}));
	}

	tasks() {
		return this.allTasks.map((task) => ({
			customer: this.nameOf(task.entity_id),
			isOpen: !task.is_completed,
			user: String(task.responsible_user_id ?? ''),
		}));
	}

	private nameOf(wanted: number): string {
		return this.contacts.find(({ id }) => id === wanted)?.name ?? 'gone';
	}

	private nextId(): number {
		this.lastId += 1;
		return this.lastId;
	}

	private taskOf(wanted: string): AmoTask {
		const task = this.allTasks.find(({ id }) => String(id) === wanted);
		if (!task) throw new Refused(404, { title: 'Not found', status: 404 });
		return task;
	}

	/** Searches for the digits in all fields, as the documentation says. */
	private search({ query = '', limit, ...others }: Record<string, string>): AmoContact[] {
		const [unknown] = Object.keys(others);
		if (unknown || query === '') throw invalid(unknown ?? 'query');
		if (!(Number(limit) >= 1 && Number(limit) <= 250)) throw invalid('limit');
		const isFound = (contact: AmoContact) =>
			[contact.name, ...phonesOf(contact)].some((text) => digitsOf(text).includes(query));
		const searched = this.contacts.filter(({ foundFrom }) => foundFrom <= Date.now());
		return searched.filter(isFound).slice(0, Number(limit));
	}

	/** Adds a call to the contact with the last ten digits of this number. Rejects it without one. */
	private addCall({ phone, ...call }: AmoCall & { phone: string }): number {
		if (!['inbound', 'outbound'].includes(call.direction)) throw invalid('direction');
		if (!USERS.includes(call.created_by ?? ADMIN)) throw invalid('created_by');
		if (!(call.call_status >= 1 && call.call_status <= 7)) throw invalid('call_status');
		const hasPhone = (contact: AmoContact) =>
			phonesOf(contact).some((value) => digitsOf(value).slice(-10) === digitsOf(phone).slice(-10));
		const contact = this.contacts.find(hasPhone);
		if (!contact) {
			const errors = [{ title: 'Entity not found', status: 263, request_id: '0' }];
			throw new Refused(400, { _total_items: 0, errors, _embedded: { calls: [] } });
		}
		const note_type = call.direction === 'inbound' ? 'call_in' : 'call_out';
		const id = this.nextId();
		this.entries.push({ ...call, id, contactId: contact.id, note_type, updated_at: now() });
		return id;
	}

	/** Lists calls as notes of their contacts, with null for what is empty. Deals and companies have none here. */
	private listNotes(kind: string, query: Record<string, string>): object[] {
		const since = sinceOf(query);
		const sign = query['order[updated_at]'] === 'desc' ? -1 : 1;
		const types = [query['filter[note_type][]'] ?? []].flat();
		return [...this.entries]
			.sort((one, other) => sign * (one.updated_at - other.updated_at || one.id - other.id))
			.filter(({ note_type }) => kind === 'contacts' && types.includes(note_type))
			.filter(({ updated_at }) => updated_at >= since)
			.map(({ id, contactId, note_type, uniq, link = null, duration, call_result = null }) => ({
				...{ id, entity_id: contactId, note_type },
				params: { uniq, duration, link, call_result },
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
