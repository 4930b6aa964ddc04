import { CrmStandIn, digitsOf, foundLater, isFound } from './crm';
import { hasLogin, Refused, wrongField } from './service';
import type { Fields } from './service';

interface User {
	id: number;
	name: string;
	phone?: string;
	external_id?: string;
	active: boolean;
	/** Zendesk takes no tickets of suspended users (Suspending a user). */
	suspended: boolean;
	/** Numbers of users who were merged into this one (Merging a user's duplicate account). */
	moreNumbers: string[];
	foundFrom: number;
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
	comments: Array<{ body: string; html_body: string }>;
	/** Whether someone had to call back. */
	isTask: boolean;
}

interface Changes
	extends Partial<Pick<Ticket, 'external_id' | 'requester_id' | 'subject' | 'status' | 'tags'>> {
	assignee_email?: string;
	/** Changes nothing if the ticket was changed after the stamp. */
	safe_update?: boolean;
	updated_stamp?: string;
	comment?: { body?: string; html_body?: string; public: boolean; uploads?: string[] };
	voice_comment?: { from: string; to: string; recording_url: string };
}

/** The fields that Zendesk documents for writing (Users, Tickets, Adding voice comments to tickets). */
const FIELDS = {
	user: {
		string: ['external_id', 'name', 'role', 'phone'],
		boolean: ['skip_verify_email'],
	},
	ticket: {
		string: ['external_id', 'subject', 'status', 'assignee_email', 'updated_stamp'],
		number: ['requester_id'],
		boolean: ['safe_update'],
		object: ['comment', 'voice_comment', 'tags'],
	},
	comment: { string: ['body', 'html_body'], boolean: ['public'], object: ['uploads'] },
	voice: { string: ['from', 'to', 'recording_url', 'started_at'], number: ['call_duration'] },
} satisfies Record<string, Fields>;

/** The agents. The first is the one whose login the workflows have; one is suspended. */
const AGENTS = [
	{ id: 55, suspended: false },
	{ id: 66, suspended: true },
	{ id: 77, suspended: false },
	{ id: 88, suspended: false },
].map((one) => ({ ...one, email: `${one.id}@x.example`, role: 'agent', active: true }));
const ADMIN = 55;

const LOGIN = { email: 'agent@company.example', apiToken: 'zendesk-token' };

/** Simulates Zendesk's documented API (developer.zendesk.com), as far as the workflows use it. */
export class Zendesk extends CrmStandIn<User, Ticket, Ticket> {
	readonly kit = 'zendesk';
	readonly title = 'Zendesk';
	override readonly address = 'https://company.zendesk.com';
	override readonly credentialType = 'zendeskApi';
	protected readonly creates = {
		...{ customer: '/users/create_or_update', call: '/tickets.json', task: '/tickets.json' },
	};
	protected override readonly taskList = this.callList;
	/** Uploaded files by their tokens. Zendesk deletes those that no comment has (Attaching files to tickets via API). */
	private readonly files = new Map<string, { text: string; isAttached: boolean }>();
	/** Tickets created with an idempotency key (Support API introduction, "Idempotency"). */
	private readonly keys = new Map<unknown, Ticket>();
	private lastChange = 1_800_000_000;

	constructor() {
		super(['company.zendesk.com'], (request) =>
			hasLogin(request, `${LOGIN.email}/token`, LOGIN.apiToken),
		);
		// n8n's test of a credential requests it.
		this.on('GET', '/api/v2/ticket_fields.json', () => ({
			ticket_fields: [{ id: 1, type: 'subject', title: 'Subject', active: true }],
		}));
		this.on('GET', '/api/v2/users/search.json', ({ query: { query = '' } }) => ({
			users: this.search(query),
		}));
		this.on<{ user: User }>('POST', '/api/v2/users/create_or_update.json', ({ body: { user } }) => {
			check('user', user, ['name', 'external_id']);
			const known = this.customerList.find(({ external_id }) => external_id === user.external_id);
			return { user: known ? Object.assign(known, user) : this.addUser(user, foundLater()) };
		});
		this.on('GET', '/api/v2/tickets.json', ({ query }) => ({
			tickets: this.callList.filter(({ external_id }) => external_id === query.external_id),
		}));
		this.on('GET', '/api/v2/tickets/:id.json', ({ params }) => ({ ticket: this.find(params.id) }));
		this.on<Buffer>('POST', '/api/v2/uploads.json', ({ query: { filename = '' }, body }) => {
			if (!/\.(mp3|wav)$/.test(filename)) throw refused('filename');
			const token = `file-${this.files.size}`;
			this.files.set(token, { text: body.toString('latin1'), isAttached: false });
			const attachments = [{ content_url: `${this.address}/attachments/token/${token}/` }];
			return { upload: { token, attachments } };
		});
		this.on<{ ticket: Changes }>('POST', '/api/v2/tickets.json', ({ headers, body }) => {
			const key = headers['idempotency-key'];
			const ticket = this.keys.get(key) ?? this.create(body.ticket);
			this.keys.set(key, ticket);
			return { ticket };
		});
		this.on<{ ticket: Changes }>('PUT', '/api/v2/tickets/:id.json', ({ params, body }) => ({
			ticket: this.change(this.find(params.id), body.ticket),
		}));
	}

	override notes() {
		return this.callList.flatMap(({ comments }) => comments.slice(1).map(({ body }) => body));
	}

	override credential() {
		return { subdomain: 'company', ...LOGIN };
	}

	/** Users have no owner in Zendesk. */
	addCustomer(name: string, phone: string): void {
		this.addUser({ name, phone }, 0);
	}

	/** Merges a customer into another one, who then has the tickets and numbers of both. */
	mergeCustomer(name: string, into: string): void {
		const [merged, kept] = [this.userOf(name), this.userOf(into)];
		kept.moreNumbers.push(...merged.moreNumbers, merged.phone ?? '');
		for (const ticket of this.callList)
			if (ticket.requester_id === merged.id) ticket.requester_id = kept.id;
		this.removeCustomer(name);
	}

	suspend(name: string): void {
		this.userOf(name).suspended = true;
	}

	/** Takes a customer's tasks, as an agent does. */
	takeTask(customer: string): void {
		for (const ticket of this.tasksOf(customer))
			this.change(ticket, { assignee_email: '77@x.example' });
	}

	protected callOf(ticket: Ticket) {
		return {
			callId: ticket.external_id ?? '',
			customer: this.requesterOf(ticket),
			text: ticket.subject,
			body: ticket.comments.map(({ html_body }) => html_body).join(),
			user: String(ticket.assignee_id ?? ''),
		};
	}

	protected taskOf(ticket: Ticket) {
		if (!ticket.isTask) return undefined;
		const { status, assignee_id } = ticket;
		const user = String(assignee_id ?? '');
		return { customer: this.requesterOf(ticket), isOpen: status !== 'solved', user };
	}

	protected reopen(ticket: Ticket): void {
		this.change(ticket, { status: 'open' });
	}

	private requesterOf({ requester_id }: Ticket): string {
		return requester_id === ADMIN ? '' : this.nameWith(requester_id);
	}

	private userOf(name: string): User {
		const user = this.customerList.find((one) => one.name === name);
		if (!user) throw new Error(`There is no user ${name}`);
		return user;
	}

	private addUser(fields: Pick<User, 'name' | 'phone'>, foundFrom: number): User {
		const own = { active: true, suspended: false, moreNumbers: [], foundFrom };
		const user = { ...fields, ...own, id: this.nextId() };
		this.customerList.push(user);
		return user;
	}

	private search(query: string): Array<User | (typeof AGENTS)[number]> {
		const [, email] = /^email:(.+)$/.exec(query) ?? [];
		if (email) return AGENTS.filter((agent) => agent.email === email);
		// Digits without a plus, and all formats of them after an asterisk ("Retrieving the Zendesk user id of a caller").
		const [, wanted] = /^role:end-user phone:\*(\d+)$/.exec(query) ?? [];
		if (!wanted) throw refused(`Invalid search: ${query}`);
		const isIt = ({ phone = '', moreNumbers }: User) =>
			[phone, ...moreNumbers].some((one) => digitsOf(one).endsWith(wanted));
		return this.customerList.filter((user) => isFound(user) && isIt(user));
	}

	private create(changes: Changes): Ticket {
		if (!changes.comment) throw refused('Description: cannot be blank');
		const id = this.nextId();
		const url = `${this.address}/api/v2/tickets/${id}.json`;
		const empty = { subject: '', tags: [], comments: [], updated_at: '', isTask: false };
		const own = { id, url, requester_id: ADMIN, assignee_id: null, status: 'new' };
		const ticket = this.change({ ...empty, ...own }, changes);
		ticket.isTask = ticket.tags.includes('missed_call') && ticket.status !== 'solved';
		this.callList.push(ticket);
		return ticket;
	}

	private change(ticket: Ticket, changes: Changes): Ticket {
		check('ticket', changes);
		const { comment, voice_comment, assignee_email, safe_update, updated_stamp, ...fields } =
			changes;
		// "Protecting against ticket update collisions" (Tickets).
		if (safe_update && updated_stamp !== ticket.updated_at)
			throw new Refused(409, { error: 'UpdateConflict', description: 'Safe Update prevented' });
		if (fields.requester_id) this.checkRequester(fields.requester_id);
		const agent = AGENTS.find(({ email, suspended }) => email === assignee_email && !suspended);
		if (assignee_email && !agent) throw refused('Assignee: is invalid');
		ticket.assignee_id = agent?.id ?? ticket.assignee_id;
		// A ticket without an assignee can't be solved, and a new one with an assignee is open (Tickets).
		if (fields.status === 'solved' && !ticket.assignee_id)
			throw refused('Assignee: is required when solving a ticket');
		if (agent && ticket.status === 'new') ticket.status = 'open';
		if (comment) ticket.comments.push(this.commentOf(comment));
		if (voice_comment) ticket.comments.push(this.voiceOf(voice_comment));
		// Zendesk's times have seconds; here each change has its own.
		this.lastChange += 1;
		const updated_at = new Date(1000 * this.lastChange).toISOString().replace('.000', '');
		return Object.assign(ticket, fields, { updated_at });
	}

	private checkRequester(wanted: number): void {
		const requester = this.customerList.find(({ id }) => id === wanted);
		if (!requester) throw refused('Requester: is invalid');
		if (requester.suspended) throw refused(`Requester: ${requester.name} is suspended.`);
	}

	private commentOf(comment: Changes['comment'] & object) {
		check('comment', comment);
		const { body = '', html_body = escaped(body), uploads = [] } = comment;
		if (!html_body) throw refused('Comment body: cannot be blank');
		for (const token of uploads) {
			const file = this.files.get(token);
			if (!file) throw refused('Upload: is invalid');
			file.isAttached = true;
		}
		return { body, html_body };
	}

	private voiceOf(voice: Changes['voice_comment'] & object) {
		check('voice', voice, ['from', 'to', 'recording_url', 'started_at']);
		const [, token = ''] = /\/attachments\/token\/([^/]+)/.exec(voice.recording_url) ?? [];
		const { text = '', isAttached } = this.files.get(token) ?? {};
		const html_body = isAttached ? text : 'Recording not available';
		return { body: `Call from: ${voice.from}`, html_body };
	}

	private find(wanted?: string): Ticket {
		const found = this.callList.find(({ id }) => String(id) === wanted);
		if (!found) throw new Refused(404, { error: 'RecordNotFound', description: 'Not found' });
		return found;
	}
}

/** Zendesk shows a plain body as text. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function check(kind: keyof typeof FIELDS, fields: object, required: string[] = []): void {
	const wrong = wrongField(fields, FIELDS[kind], required);
	if (wrong) throw refused(`${wrong} is unknown, or blank`);
}

/** Zendesk's own words are in the details (Requests, "Error responses"). */
function refused(words: string): Refused {
	const details = { base: [{ description: words }] };
	const description = 'Record validation errors';
	return new Refused(422, { error: 'RecordInvalid', description, details });
}
