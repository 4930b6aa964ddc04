import type { FastifyRequest } from 'fastify';
import { removeFirst } from './crm';
import type { CrmStandIn } from './crm';
import { Refused, Service, wrongField } from './service';
import type { Fields } from './service';

interface User {
	id: number;
	name: string;
	phone?: string;
	external_id?: string;
	updated_at: string;
	active: boolean;
	/** Zendesk takes no tickets of suspended users (Suspending a user). */
	suspended: boolean;
	/** Numbers of users who were merged into this one (Merging a user's duplicate account). */
	moreNumbers: string[];
	/** When the search starts to find it, in Unix milliseconds. */
	foundFrom: number;
}

interface Comment {
	type: 'Comment' | 'VoiceComment';
	body: string;
	html_body: string;
	public: boolean;
}

interface Ticket {
	id: number;
	/** Of the API. */
	url: string;
	updated_at: string;
	external_id?: string;
	requester_id: number;
	assignee_id: number | null;
	subject: string;
	status: string;
	tags: string[];
	comments: Comment[];
	/** Whether someone had to call back. */
	isTask: boolean;
}

interface Changes {
	external_id?: string;
	requester_id?: number;
	assignee_email?: string;
	subject?: string;
	status?: string;
	tags?: string[];
	/** Changes nothing if the ticket was changed after this time. */
	safe_update?: boolean;
	updated_stamp?: string;
	comment?: { body?: string; html_body?: string; public: boolean; uploads?: string[] };
	voice_comment?: { from: string; to: string; recording_url: string };
}

/** The fields that Zendesk documents for writing (Users, Tickets, Adding voice comments to tickets). */
const USER: Fields = {
	string: ['external_id', 'name', 'role', 'phone'],
	boolean: ['skip_verify_email'],
};
const TICKET: Fields = {
	string: ['external_id', 'subject', 'status', 'assignee_email', 'updated_stamp'],
	number: ['requester_id'],
	boolean: ['safe_update'],
	object: ['comment', 'voice_comment', 'tags'],
};
const COMMENT: Fields = {
	string: ['body', 'html_body'],
	boolean: ['public'],
	object: ['uploads'],
};
const VOICE: Fields = {
	string: ['from', 'to', 'recording_url', 'started_at'],
	number: ['call_duration'],
};

/** The agents. The first is the one whose login the workflows have; one is suspended. */
const AGENTS = [
	{ id: 55, suspended: false },
	{ id: 66, suspended: true },
	{ id: 77, suspended: false },
	{ id: 88, suspended: false },
].map((one) => ({ ...one, email: `${one.id}@x.example`, role: 'agent', active: true }));
const ADMIN = 55;

/** Searches find a new record only after some minutes (Search API, "Results limit"). Here seconds. */
const SEARCH_DELAY_MS = 5000;

/** Simulates Zendesk's documented API (developer.zendesk.com), as far as the workflows use it. */
export class Zendesk extends Service implements CrmStandIn {
	readonly kit = 'zendesk';
	readonly title = 'Zendesk';
	readonly address = 'https://company.zendesk.com';
	readonly credentialType = 'zendeskApi';
	private readonly email = 'agent@company.example';
	/** The valid API token. */
	private readonly token = 'zendesk-token';
	private readonly users: User[] = [];
	private readonly tickets: Ticket[] = [];
	/** Uploaded files by their tokens. Zendesk deletes those that no comment has (Attaching files to tickets via API). */
	private readonly files = new Map<string, { text: string; isAttached: boolean }>();
	/** Tickets created with an idempotency key (Support API introduction, "Idempotency"). */
	private readonly keys = new Map<string, { body: string; ticket: Ticket }>();
	private lastId = 1000;
	private lastChange = 1_800_000_000;

	constructor() {
		super(['company.zendesk.com'], ({ headers }) => {
			const login = `${this.email}/token:${this.token}`;
			return headers.authorization === `Basic ${Buffer.from(login).toString('base64')}`;
		});
		const { app } = this;
		// n8n's test of a credential requests it.
		app.get('/api/v2/ticket_fields.json', () => ({
			ticket_fields: [{ id: 1, type: 'subject', title: 'Subject', active: true }],
		}));
		app.get('/api/v2/users/search.json', ({ query }) => ({
			users: this.search((query as { query: string }).query),
		}));
		app.post('/api/v2/users/create_or_update.json', ({ body }, reply) => {
			const { user } = body as { user: Pick<User, 'name' | 'phone' | 'external_id'> };
			check(user, USER, ['name', 'external_id']);
			const known = this.users.find(({ external_id }) => external_id === user.external_id);
			if (known) return reply.send({ user: Object.assign(known, user) });
			return reply.code(201).send({ user: this.addUser(user, Date.now() + SEARCH_DELAY_MS) });
		});
		app.get('/api/v2/tickets.json', ({ query }) => {
			const wanted = (query as { external_id: string }).external_id;
			return { tickets: this.tickets.filter(({ external_id }) => external_id === wanted) };
		});
		app.get('/api/v2/tickets/:id.json', (request) => ({ ticket: this.find(request) }));
		app.addContentTypeParser(/^audio\//, { parseAs: 'buffer' }, (_, body, done) =>
			done(null, body),
		);
		app.post('/api/v2/uploads.json', ({ query, body }, reply) => {
			if (!/\.(mp3|wav)$/.test((query as { filename: string }).filename))
				throw refused(422, 'filename');
			const token = `file-${this.files.size}`;
			this.files.set(token, { text: (body as Buffer).toString('latin1'), isAttached: false });
			const attachments = [{ content_url: `${this.address}/attachments/token/${token}/` }];
			return reply.code(201).send({ upload: { token, attachments } });
		});
		app.post('/api/v2/tickets.json', (request, reply) => {
			const ticket = this.create(request);
			return reply.code(201).send({ ticket });
		});
		app.put('/api/v2/tickets/:id.json', (request) => {
			const ticket = this.find(request);
			this.change(ticket, changesOf(request));
			return { ticket };
		});
	}

	notes() {
		return this.tickets.flatMap(({ comments }) => comments.slice(1).map(({ body }) => body));
	}

	credential() {
		const subdomain = this.address.slice('https://'.length).split('.')[0] ?? '';
		return { subdomain, email: this.email, apiToken: this.token };
	}

	/** Users have no owner in Zendesk. */
	addCustomer(name: string, phone: string): void {
		this.addUser({ name, phone }, 0);
	}

	removeCustomer(name: string): void {
		removeFirst(this.users, (one) => one.name === name);
	}

	/** Merges a customer into another one, who then has the tickets and numbers of both. */
	mergeCustomer(name: string, into: string): void {
		const [merged, kept] = [this.userOf(name), this.userOf(into)];
		kept.moreNumbers.push(...merged.moreNumbers, merged.phone ?? '');
		for (const ticket of this.tickets)
			if (ticket.requester_id === merged.id) ticket.requester_id = kept.id;
		this.removeCustomer(name);
	}

	suspend(name: string): void {
		this.userOf(name).suspended = true;
	}

	removeTask(customer: string): void {
		removeFirst(this.tickets, (ticket) => ticket.isTask && this.requesterOf(ticket) === customer);
	}

	removeCall(customer: string): void {
		removeFirst(this.tickets, (ticket) => this.requesterOf(ticket) === customer);
	}

	/** Reopens a customer's tasks, as a user does. */
	reopenTask(customer: string): void {
		const theirs = this.tickets.filter((one) => one.isTask && this.requesterOf(one) === customer);
		for (const ticket of theirs) this.change(ticket, { status: 'open' });
	}

	/** Takes a customer's tasks, as an agent does. */
	takeTask(customer: string): void {
		const theirs = this.tickets.filter((one) => one.isTask && this.requesterOf(one) === customer);
		for (const ticket of theirs) this.change(ticket, { assignee_email: '77@x.example' });
	}

	afterCall(act: () => Promise<unknown>): void {
		this.loseAnswer(/\/tickets\.json$/, 'POST', act);
	}

	loseAnswers(): void {
		['/users/create_or_update', '/tickets.json'].forEach((path) => this.loseAnswer(path));
	}

	customers() {
		return this.users.map(({ name }) => name);
	}

	calls() {
		return this.tickets.map((ticket) => ({
			callId: ticket.external_id ?? '',
			customer: this.requesterOf(ticket),
			text: ticket.subject,
			body: ticket.comments.map(({ html_body }) => html_body).join(),
			user: String(ticket.assignee_id ?? ''),
		}));
	}

	tasks() {
		const tasks = this.tickets.filter(({ isTask }) => isTask);
		return tasks.map((ticket) => ({
			customer: this.requesterOf(ticket),
			isOpen: ticket.status !== 'solved',
			user: String(ticket.assignee_id ?? ''),
		}));
	}

	private requesterOf({ requester_id }: Ticket): string {
		if (requester_id === ADMIN) return '';
		return this.users.find(({ id }) => id === requester_id)?.name ?? 'gone';
	}

	private userOf(name: string): User {
		const user = this.users.find((one) => one.name === name);
		if (!user) throw new Error(`There is no user ${name}`);
		return user;
	}

	private addUser(fields: Partial<User> & { name: string }, foundFrom: number): User {
		this.lastId += 1;
		const own = {
			...{ id: this.lastId, foundFrom, updated_at: new Date().toISOString() },
			...{ active: true, suspended: false, moreNumbers: [] },
		};
		const user = { ...fields, ...own };
		this.users.push(user);
		return user;
	}

	private search(query: string): Array<User | (typeof AGENTS)[number]> {
		const [, email] = /^email:(.+)$/.exec(query) ?? [];
		if (email) return AGENTS.filter((agent) => agent.email === email);
		// Digits without a plus, and all formats of them after an asterisk ("Retrieving the Zendesk user id of a caller").
		const [, wanted] = /^role:end-user phone:\*(\d+)$/.exec(query) ?? [];
		if (!wanted) throw refused(422, `Invalid search: ${query}`);
		return this.users.filter(
			({ phone = '', moreNumbers, foundFrom }) =>
				foundFrom <= Date.now() &&
				[phone, ...moreNumbers].some((one) => one.replace(/\D/g, '').endsWith(wanted)),
		);
	}

	private create(request: FastifyRequest): Ticket {
		const key = String(request.headers['idempotency-key']);
		const body = JSON.stringify(request.body);
		const known = this.keys.get(key);
		if (known && known.body !== body)
			throw refused(400, 'The request parameters differ from those of the first request');
		if (known) return known.ticket;
		this.lastId += 1;
		const own = { requester_id: ADMIN, assignee_id: null, subject: '', tags: [], comments: [] };
		const url = `${this.address}/api/v2/tickets/${this.lastId}.json`;
		const more = { id: this.lastId, url, updated_at: '', status: 'new', isTask: false };
		const ticket: Ticket = { ...own, ...more };
		const changes = changesOf(request);
		if (!changes.comment) throw refused(422, 'Description: cannot be blank');
		this.change(ticket, changes);
		ticket.isTask = ticket.tags.includes('missed_call') && ticket.status !== 'solved';
		this.tickets.push(ticket);
		this.keys.set(key, { body, ticket });
		return ticket;
	}

	private change(ticket: Ticket, changes: Changes): void {
		const { comment: _, voice_comment: __, assignee_email, ...given } = changes;
		const { safe_update, updated_stamp, ...fields } = given;
		// "Protecting against ticket update collisions" (Tickets).
		if (safe_update && updated_stamp !== ticket.updated_at)
			throw new Refused(409, { error: 'UpdateConflict', description: 'Safe Update prevented' });
		const requester = this.users.find(({ id }) => id === fields.requester_id);
		if (fields.requester_id && !requester) throw refused(422, 'Requester: is invalid');
		if (requester?.suspended) throw refused(422, `Requester: ${requester.name} is suspended.`);
		const agent = AGENTS.find(({ email, suspended }) => email === assignee_email && !suspended);
		if (assignee_email && !agent) throw refused(422, 'Assignee: is invalid');
		ticket.assignee_id = agent?.id ?? ticket.assignee_id;
		// A ticket without an assignee can't be solved, and a new one with an assignee is open (Tickets).
		if (fields.status === 'solved' && !ticket.assignee_id)
			throw refused(422, 'Assignee: is required when solving a ticket');
		if (agent && ticket.status === 'new') ticket.status = 'open';
		// Zendesk's times have seconds; here each change has its own.
		this.lastChange += 1;
		const updated_at = new Date(1000 * this.lastChange).toISOString().replace('.000', '');
		Object.assign(ticket, fields, { updated_at });
		this.addComment(ticket, changes);
	}

	private addComment({ comments }: Ticket, { comment, voice_comment }: Changes): void {
		if (comment) {
			const { body = '', html_body = escaped(body), uploads = [] } = comment;
			comments.push({ type: 'Comment', body, html_body, public: comment.public });
			for (const token of uploads) {
				const file = this.files.get(token);
				if (!file) throw refused(422, 'Upload: is invalid');
				file.isAttached = true;
			}
		}
		if (voice_comment) {
			const { from, recording_url } = voice_comment;
			const [, token = ''] = /\/attachments\/token\/([^/]+)/.exec(recording_url) ?? [];
			const { text, isAttached } = this.files.get(token) ?? {};
			const played = isAttached ? text : 'Recording not available';
			const shown = { body: `Call from: ${from}`, html_body: played ?? '', public: false };
			comments.push({ type: 'VoiceComment', ...shown });
		}
	}

	private find({ params }: FastifyRequest): Ticket {
		const wanted = (params as { id: string }).id;
		const found = this.tickets.find(({ id }) => String(id) === wanted);
		if (!found) throw new Refused(404, { error: 'RecordNotFound', description: 'Not found' });
		return found;
	}
}

/** Zendesk shows a plain body as text. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function changesOf({ body }: FastifyRequest): Changes {
	const { ticket } = body as { ticket: Changes };
	check(ticket, TICKET);
	if (ticket.comment) check(ticket.comment, COMMENT);
	if (ticket.voice_comment)
		check(ticket.voice_comment, VOICE, ['from', 'to', 'recording_url', 'started_at']);
	if (ticket.comment && !(ticket.comment.body ?? ticket.comment.html_body))
		throw refused(422, 'Comment body: cannot be blank');
	return ticket;
}

function check(fields: object, known: Fields, required: string[] = []): void {
	const wrong = wrongField(fields, known, required);
	if (wrong) throw refused(422, `${wrong} is unknown, or blank`);
}

/** Zendesk's own words are in the details (Requests, "Error responses"). */
function refused(status: number, words: string): Refused {
	const details = { base: [{ description: words }] };
	const description = 'Record validation errors';
	return new Refused(status, { error: 'RecordInvalid', description, details });
}
