import type { FastifyReply } from 'fastify';
import { CrmStandIn, digitsOf, foundLater, isFound } from './crm';
import { hasToken, Refused, wrongField } from './service';
import type { Fields } from './service';

type Entry = Record<string, unknown>;

interface AmoContact {
	id: number;
	foundFrom: number;
	name: string;
	responsible_user_id: number;
	custom_fields_values: Array<{ field_code: string; values: Array<{ value: string }> }>;
}

interface AmoCall {
	id: number;
	contactId: number;
	uniq: string;
	direction: string;
	phone: string;
	call_status: number;
	duration: number;
	call_responsible?: number;
	created_by?: number;
	call_result?: string;
	link?: string;
	updated_at: number;
}

interface AmoTask {
	id: number;
	text: string;
	entity_id: number;
	is_completed: boolean;
	responsible_user_id?: number;
}

interface PopUp {
	type: string;
	phone_number: string;
	users: number[];
}

interface Note {
	note_type: string;
	params: { text: string };
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

/** Simulates amoCRM's documented API, as far as the kit uses it. */
export class Amocrm extends CrmStandIn<AmoContact, AmoCall, AmoTask> {
	readonly kit = 'amocrm';
	readonly title = 'amoCRM';
	override readonly credentialType = 'httpBearerAuth';
	override readonly address = 'https://example.amocrm.ru';
	readonly popUps: PopUp[] = [];
	protected readonly creates = { customer: '/leads/complex', call: '/calls', task: '/tasks' };

	constructor() {
		super(['example.amocrm.ru'], (request) => hasToken(request, TOKEN));
		this.app.addHook('onSend', async (_request, reply) => {
			void reply.type('application/hal+json');
		});
		this.on('GET', '/api/v4/users', (_, reply) => {
			const users = USERS.slice(1).map((id) => ({ id, email: `${id}@x.example` }));
			return page(reply, 'users', users);
		});
		this.on<{ add: PopUp[] }>('POST', '/api/v2/events/', ({ body: { add } }) => {
			if (add.some(({ type, users }) => type !== 'phone_call' || users.length === 0))
				throw invalid('add');
			this.popUps.push(...add);
			return {};
		});
		this.on('GET', '/api/v4/account', () => ({ id: 1, name: 'Company' }));
		this.on('GET', '/api/v4/contacts', ({ query }, reply) =>
			page(reply, 'contacts', this.search(query)),
		);
		this.on('POST', '/api/v4/leads/complex', ({ body }) => {
			const { _embedded } = only<{ _embedded: { contacts: Entry[] } }>('lead', body);
			const { first_name, ...fields } = only<Entry>('contact', _embedded.contacts);
			const own = { id: this.nextId(), name: String(first_name), foundFrom: foundLater() };
			const contact = { responsible_user_id: ADMIN, ...fields, ...own } as AmoContact;
			this.customerList.push(contact);
			return [{ id: this.nextId(), contact_id: contact.id, company_id: null, merged: false }];
		});
		this.on('POST', '/api/v4/calls', ({ body }) => {
			const id = this.addCall(only('call', body, ['direction', 'duration', 'source', 'phone']));
			return { _total_items: 1, errors: [], _embedded: { calls: [{ id }] } };
		});
		this.on('GET', '/api/v4/contacts/notes', ({ query }, reply) =>
			page(reply, 'notes', this.listNotes(query)),
		);
		// Deals and companies have no calls here.
		this.on('GET', '/api/v4/:kind(leads|companies)/notes', (_, reply) => page(reply, 'notes', []));
		this.on<Note[]>('POST', '/api/v4/contacts/:id/notes', ({ params, body: [note] }) => {
			if (!this.customerList.some(({ id }) => String(id) === params.id)) throw invalid('id');
			if (note?.note_type !== 'common' || !note.params.text) throw invalid('note_type');
			this.written.push(note.params.text);
			return { _embedded: { notes: [{ id: this.nextId() }] } };
		});
		this.on('GET', '/api/v4/tasks', ({ query }, reply) => {
			if (query['filter[entity_type]'] !== 'contacts') throw invalid('filter');
			const isOf = ({ entity_id }: AmoTask) => String(entity_id) === query['filter[entity_id][]'];
			return page(reply, 'tasks', this.taskList.filter(isOf));
		});
		this.on('GET', '/api/v4/tasks/:id', ({ params }) => this.find(params));
		this.on('POST', '/api/v4/tasks', ({ body }) => {
			const task = only<AmoTask>('task', body, ['text', 'complete_till']);
			if (!this.customerList.some(({ id }) => id === task.entity_id)) throw invalid('entity_id');
			const id = this.nextId();
			this.taskList.push({ ...task, is_completed: false, id });
			return { _embedded: { tasks: [{ id }] } };
		});
		this.on<Entry>('PATCH', '/api/v4/tasks/:id', ({ params, body }) => {
			const task = this.find(params);
			// It would lose the result that a user wrote.
			if (task.is_completed) throw invalid('is_completed');
			return Object.assign(task, only('task', [body]));
		});
	}

	override credential() {
		return { token: TOKEN };
	}

	addCustomer(name: string, phone: string, owner = String(ADMIN)): void {
		const custom_fields_values = [{ field_code: 'PHONE', values: [{ value: phone }] }];
		const own = { id: this.nextId(), responsible_user_id: Number(owner), foundFrom: 0 };
		this.customerList.push({ ...own, name, custom_fields_values });
	}

	protected callOf(call: AmoCall) {
		return {
			callId: call.uniq,
			customer: this.nameWith(call.contactId),
			text: call.call_result ?? '',
			body: [call.link, call.call_result].join(' '),
			user: String(call.call_responsible ?? ''),
		};
	}

	protected taskOf({ entity_id, is_completed, responsible_user_id }: AmoTask) {
		const user = String(responsible_user_id ?? '');
		return { customer: this.nameWith(entity_id), isOpen: !is_completed, user };
	}

	protected reopen(task: AmoTask): void {
		task.is_completed = false;
	}

	private find({ id: wanted }: Record<string, string>): AmoTask {
		const task = this.taskList.find(({ id }) => String(id) === wanted);
		if (!task) throw new Refused(404, { title: 'Not found', status: 404 });
		return task;
	}

	/** Searches for the digits in all fields, as the documentation says. */
	private search({ query = '', limit, ...others }: Record<string, string>): AmoContact[] {
		const [unknown] = Object.keys(others);
		if (unknown || query === '') throw invalid(unknown ?? 'query');
		if (!(Number(limit) <= 250)) throw invalid('limit');
		const hasDigits = (contact: AmoContact) =>
			[contact.name, ...phonesOf(contact)].some((text) => digitsOf(text).includes(query));
		return this.customerList
			.filter((one) => isFound(one) && hasDigits(one))
			.slice(0, Number(limit));
	}

	/** Adds a call to the contact with the last ten digits of this number. Rejects it without one. */
	private addCall(call: AmoCall): number {
		if (!['inbound', 'outbound'].includes(call.direction)) throw invalid('direction');
		if (!USERS.includes(call.created_by ?? ADMIN)) throw invalid('created_by');
		if (!(call.call_status >= 1 && call.call_status <= 7)) throw invalid('call_status');
		const lastTen = (phone: string) => digitsOf(phone).slice(-10);
		const hasPhone = (contact: AmoContact) =>
			phonesOf(contact).some((value) => lastTen(value) === lastTen(call.phone));
		const contact = this.customerList.find(hasPhone);
		if (!contact) {
			const errors = [{ title: 'Entity not found', status: 263, request_id: '0' }];
			throw new Refused(400, { _total_items: 0, errors, _embedded: { calls: [] } });
		}
		const [id, updated_at] = [this.nextId(), Math.floor(Date.now() / 1000)];
		this.callList.push({ ...call, id, contactId: contact.id, updated_at });
		return id;
	}

	/** Lists calls as notes of their contacts, the newest first, with null for what is empty. */
	private listNotes(query: Record<string, string>): object[] {
		const since = Number(query['filter[updated_at][from]']);
		const isNewestFirst = query['order[updated_at]'] === 'desc';
		if (!since || !isNewestFirst || !(Number(query.limit) <= 250)) throw invalid('filter');
		const type = query['filter[note_type][]'];
		const typeOf = ({ direction }: AmoCall) => (direction === 'inbound' ? 'call_in' : 'call_out');
		return [...this.callList]
			.reverse()
			.filter((call) => typeOf(call) === type && call.updated_at >= since)
			.slice(0, Number(query.limit))
			.map(({ id, contactId, uniq, link = null, duration, call_result = null }) => ({
				...{ id, entity_id: contactId, note_type: type },
				params: { uniq, duration, link, call_result },
			}));
	}
}

const TOKEN = 'amocrm-token';

const phonesOf = ({ custom_fields_values }: AmoContact): string[] =>
	custom_fields_values.flatMap(({ values }) => values.map(({ value }) => value));

/** Sends a page of entries. amoCRM's response is empty if there are none. */
const page = (reply: FastifyReply, kind: string, entries: object[]) =>
	entries.length === 0
		? reply.code(204).send()
		: reply.send({ _page: 1, _embedded: { [kind]: entries } });

/** Reads the one entry of a body, which amoCRM takes as a list. */
function only<T>(kind: keyof typeof FIELDS, list: object, required: string[] = []): T {
	if (!Array.isArray(list) || list.length !== 1) throw invalid('0');
	const [given] = list as object[];
	const wrong = given ? wrongField(given, FIELDS[kind], required) : '0';
	if (wrong) throw invalid(wrong);
	return given as T;
}

function invalid(path: string): Refused {
	const errors = [{ code: 'InvalidType', path, detail: 'This value is not valid.' }];
	return new Refused(400, {
		...{ title: 'Bad Request', status: 400, detail: 'Request validation failed' },
		'validation-errors': [{ request_id: '0', errors }],
	});
}
