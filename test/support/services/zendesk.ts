import { Refused, Service, wrongField } from './service';

export interface ZendeskUser {
	id: number;
	name: string;
	phone?: string;
	external_id?: string;
	/** When the search starts to find it, in Unix milliseconds. */
	foundFrom: number;
}

export interface ZendeskTicket {
	id: number;
	external_id?: string;
	requester_id?: number;
	subject?: string;
	comment: { body: string; public?: boolean };
	tags?: string[];
}

/** The fields that Zendesk documents for writing, as far as the kit uses them. */
const USER = ['external_id', 'name', 'role', 'phone', 'skip_verify_email'];
const TICKET = ['external_id', 'requester_id', 'subject', 'comment', 'tags'];

/** Zendesk's documentation says that searches find a new record only after some minutes. Here seconds. */
const SEARCH_DELAY_MS = 5000;

/** Simulates Zendesk's documented API, as far as the kit uses it. */
export class Zendesk extends Service {
	readonly subdomain = 'company';
	readonly address = 'https://company.zendesk.com';
	readonly email = 'agent@company.example';
	/** The valid API token. */
	token = 'zendesk-token';
	readonly users: ZendeskUser[] = [];
	readonly tickets: ZendeskTicket[] = [];
	/** Tickets created with an idempotency key. */
	private readonly keys = new Map<string, ZendeskTicket>();

	constructor() {
		super(['company.zendesk.com'], ({ headers }) => {
			const login = `${this.email}/token:${this.token}`;
			return headers.authorization === `Basic ${Buffer.from(login).toString('base64')}`;
		});
		this.app.get('/api/v2/users/search.json', ({ query }) => {
			const users = this.search((query as { query: string }).query);
			return { users, next_page: null, count: users.length };
		});
		this.app.post('/api/v2/users/create_or_update.json', ({ body }, reply) => {
			const { user } = body as { user: Omit<ZendeskUser, 'id'> };
			check(user, USER, ['name', 'external_id']);
			const known = this.users.find(({ external_id }) => external_id === user.external_id);
			if (known) return reply.send({ user: Object.assign(known, user) });
			return reply.code(201).send({ user: this.addUser(user, Date.now() + SEARCH_DELAY_MS) });
		});
		this.app.get('/api/v2/tickets.json', ({ query }) => {
			const wanted = (query as { external_id: string }).external_id;
			const tickets = this.tickets.filter(({ external_id }) => external_id === wanted);
			return { tickets, next_page: null, count: tickets.length };
		});
		this.app.post('/api/v2/tickets.json', ({ body, headers }, reply) => {
			const key = headers['idempotency-key'];
			const known = this.keys.get(String(key));
			if (known)
				return reply.header('x-idempotency-lookup', 'hit').code(201).send({ ticket: known });
			const ticket = this.create((body as { ticket: Omit<ZendeskTicket, 'id'> }).ticket);
			if (key !== undefined) this.keys.set(String(key), ticket);
			return reply.header('x-idempotency-lookup', 'miss').code(201).send({ ticket });
		});
	}

	/** Adds a user as an agent of Zendesk would, by default long ago. */
	addUser(fields: Partial<ZendeskUser> & { name: string }, foundFrom = 0): ZendeskUser {
		const user = { ...fields, id: 1001 + this.users.length, foundFrom };
		this.users.push(user);
		return user;
	}

	private search(query: string): ZendeskUser[] {
		// Without a plus (support.zendesk.com, searching users): in quotes with one, there is no match.
		const [, digits] = /^role:end-user phone:\*(\w+)$/.exec(query) ?? [];
		if (!digits) throw refused(422, `Invalid search: ${query}`);
		return this.users.filter(
			({ phone = '', foundFrom }) => phone.endsWith(digits) && foundFrom <= Date.now(),
		);
	}

	private create(fields: Omit<ZendeskTicket, 'id'>): ZendeskTicket {
		check(fields, TICKET, ['comment']);
		const isThere = this.users.some(({ id }) => id === fields.requester_id);
		if (!isThere) throw refused(422, 'Requester: is invalid');
		if (!fields.comment.body) throw refused(422, 'Description: cannot be blank');
		const ticket = { ...fields, id: 1 + this.tickets.length };
		this.tickets.push(ticket);
		return ticket;
	}
}

function check(fields: object, known: string[], required: string[]): void {
	const wrong = wrongField(fields, { any: known }, required);
	if (wrong) throw refused(422, `${wrong} is unknown, or blank`);
}

function refused(status: number, description: string): Refused {
	return new Refused(status, { error: 'RecordInvalid', description });
}
