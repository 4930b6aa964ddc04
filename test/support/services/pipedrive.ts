import type { FastifyRequest } from 'fastify';
import { removeFirst } from './crm';
import type { CrmStandIn } from './crm';
import { Refused, Service, wrongField } from './service';
import type { Fields } from './service';

interface Person {
	id: number;
	name: string;
	owner_id: number;
	phones: Array<{ value: string; primary: boolean; label: string }>;
	foundFrom: number;
}

interface Activity {
	id: number;
	subject: string;
	type: string;
	done: boolean;
	owner_id?: number;
	due_date?: string;
	note?: string;
	update_time: string;
	participants?: Array<{ person_id: number; primary: boolean }>;
	/** Whether it was opened as a task. */
	isTask: boolean;
	recordings: string[];
}

interface Note {
	content: string;
	person_id: number;
}

/** The fields that Pipedrive's second version documents for writing. */
const PERSON: Fields = { string: ['name'], number: ['owner_id'], object: ['phones'] };
const ACTIVITY: Fields = {
	string: ['subject', 'type', 'due_date', 'note'],
	boolean: ['done'],
	number: ['owner_id'],
	object: ['participants'],
};
/** Those of a call log (developers.pipedrive.com, CallLogs). */
const NOTE: Fields = { string: ['content'], number: ['person_id'] };
const CALL_LOG: Fields = {
	number: ['activity_id'],
	string: [
		...['subject', 'outcome', 'from_phone_number', 'to_phone_number', 'start_time', 'end_time'],
	],
};

/** How long the search doesn't find a new person; Pipedrive names no time. */
const SEARCH_DELAY_MS = 5000;

/** Simulates Pipedrive's documented API, as far as the kit uses it. */
export class Pipedrive extends Service implements CrmStandIn {
	override readonly official = 'pipedrive';
	readonly kit = 'pipedrive';
	readonly title = 'Pipedrive';
	readonly address = '';
	readonly credentialType = 'pipedriveApi';
	/** The valid token. */
	token = 'pipedrive-token';
	private readonly persons: Person[] = [];
	private readonly activities: Activity[] = [];
	/** The activities of the call logs, by the logs' IDs. */
	private readonly logs = new Map<string, Activity>();
	private readonly written: Note[] = [];
	private lastId = 0;

	constructor() {
		super(
			['api.pipedrive.com'],
			({ query }) => (query as { api_token?: string }).api_token === this.token,
		);
		const { app } = this;
		app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_, body, done) =>
			done(null, body),
		);
		// n8n's test of a credential requests it.
		app.get('/v1/userSettings', () => ok({ list_limit: 50, beta_app: false }));
		app.get('/v1/users/find', ({ query }) => {
			const { term, search_by_email } = query as Record<string, string>;
			if (search_by_email !== '1') throw refused(400, 'search_by_email');
			const users = [77, 88].map((id) => ({ id, name: `User ${id}`, email: `${id}@x.example` }));
			return ok(users.filter(({ email }) => email === term));
		});
		app.get('/api/v2/persons/search', ({ query }) => ok({ items: this.search(query as Search) }));
		app.get('/api/v2/activities', ({ query }) => ok(this.list(query as Listing).map(shown)));
		app.get('/api/v2/activities/:id', (request) => ok(shown(this.find(request))));
		app.post('/api/v2/persons', ({ body }, reply) => {
			const { name, phones, owner_id = 77 } = check<Person>(body, PERSON, ['name']);
			const foundFrom = Date.now() + SEARCH_DELAY_MS;
			const person = { id: this.nextId(), name, phones, owner_id, foundFrom };
			this.persons.push(person);
			return reply.code(201).send(ok(shownPerson(person)));
		});
		app.post('/api/v2/activities', ({ body }, reply) => {
			const fields = check<Activity>(body, ACTIVITY, ['subject', 'type']);
			const isTask = fields.subject.startsWith('Call back ');
			const own = { id: this.nextId(), update_time: now(), isTask, recordings: [] };
			const activity = { ...fields, ...own };
			this.checkParticipants(activity);
			this.activities.push(activity);
			return reply.code(201).send(ok(shown(activity)));
		});
		app.patch('/api/v2/activities/:id', (request) => {
			const activity = this.find(request);
			const changes = check<Activity>(request.body, ACTIVITY);
			const isTask = activity.isTask || changes.subject?.startsWith('Call back ') === true;
			return ok(shown(Object.assign(activity, changes, { update_time: now(), isTask })));
		});
		app.post('/v1/notes', ({ body }) => {
			const note = check<Note>(body, NOTE, ['content', 'person_id']);
			if (!this.persons.some(({ id }) => id === note.person_id)) throw refused(400, 'person_id');
			this.written.push(note);
			return ok({ id: this.nextId(), ...note });
		});
		app.post('/v1/callLogs', ({ body }) => {
			const required = ['to_phone_number', 'outcome', 'start_time', 'end_time'];
			const log = check<{ activity_id: number; outcome: string }>(body, CALL_LOG, required);
			if (!['connected', 'no_answer', 'left_voicemail', 'busy'].includes(log.outcome))
				throw refused(400, 'outcome');
			const id = `log-${this.nextId()}`;
			this.logs.set(id, this.activityOf(log.activity_id));
			return ok({ id, ...log, has_recording: false, company_id: 1 });
		});
		app.post('/v1/callLogs/:id/recordings', ({ params, body }) => {
			const { id } = params as { id: string };
			const text = (body as Buffer).toString('latin1');
			if (!text.includes('name="file"')) throw refused(400, 'file is required');
			this.logs.get(id)?.recordings.push(text.includes('RIFF') ? 'RIFF' : 'no recording');
			return { success: true };
		});
	}

	notes() {
		return this.written.map(({ content }) => content);
	}

	credential() {
		return { apiToken: this.token };
	}

	addCustomer(name: string, phone: string, owner = '66'): void {
		const phones = [{ value: phone, primary: true, label: 'work' }];
		const own = { id: this.nextId(), owner_id: Number(owner), foundFrom: 0 };
		this.persons.push({ ...own, name, phones });
	}

	removeCustomer(name: string): void {
		removeFirst(this.persons, (one) => one.name === name);
	}

	removeTask(customer: string): void {
		removeFirst(this.activities, (one) => one.isTask && this.customerOf(one) === customer);
	}

	removeCall(customer: string): void {
		removeFirst(this.activities, (one) => this.customerOf(one) === customer);
	}

	/** Reopens a customer's tasks, as a user does. */
	reopenTask(customer: string): void {
		const theirs = this.activities.filter((one) => one.isTask && this.customerOf(one) === customer);
		for (const one of theirs) one.done = false;
	}

	afterCall(act: () => Promise<unknown>): void {
		this.loseAnswer(/\/activities\?/, 'POST', act);
	}

	loseAnswers(): void {
		['/persons', '/activities'].forEach((path) => this.loseAnswer(path));
	}

	customers() {
		return this.persons.map(({ name }) => name);
	}

	calls() {
		return this.activities.map((activity) => ({
			callId: /Call ID: (\S+?)(?: \(ringing\))?(?:<|$)/.exec(activity.note ?? '')?.[1] ?? '',
			customer: this.customerOf(activity),
			// A task shows the call in its note.
			text: activity.isTask ? ((activity.note ?? '').split('<br>')[0] ?? '') : activity.subject,
			body: [activity.note, ...activity.recordings].join(),
			user: activity.isTask ? '88' : String(activity.owner_id ?? ''),
		}));
	}

	tasks() {
		const tasks = this.activities.filter(({ isTask }) => isTask);
		return tasks.map((activity) => ({
			customer: this.customerOf(activity),
			isOpen: !activity.done,
			user: String(activity.owner_id ?? ''),
		}));
	}

	private nextId(): number {
		this.lastId += 1;
		return this.lastId;
	}

	private customerOf({ participants: [one] = [] }: Activity): string {
		if (!one) return '';
		return this.persons.find(({ id }) => id === one.person_id)?.name ?? 'gone';
	}

	private search({ term, fields, limit }: Search): object[] {
		if (term.length < 2) throw refused(400, 'The search term must be at least 2 characters long');
		if (fields !== 'phone') throw refused(400, 'The stand-in searches telephone numbers only');
		const wanted = term.replace(/\D/g, '');
		const found = this.persons.filter(
			({ phones, foundFrom }) =>
				foundFrom <= Date.now() &&
				phones.some(({ value }) => wanted && value.replace(/\D/g, '').includes(wanted)),
		);
		// Newest first: Pipedrive doesn't document an order.
		return found
			.reverse()
			.slice(0, Number(limit))
			.map(({ id, name, owner_id, phones }) => ({
				result_score: 1,
				item: {
					...{ id, type: 'person', name, owner: { id: owner_id } },
					phones: phones.map(({ value }) => value),
				},
			}));
	}

	private list(listing: Listing) {
		const { person_id, ids, updated_since = '', limit = '100', ...rest } = listing;
		const { sort_by, sort_direction, ...more } = rest;
		if (sort_by !== undefined && (sort_by !== 'update_time' || sort_direction !== 'desc'))
			throw refused(400, 'The stand-in sorts by update_time, the newest first');
		const unknown = Object.keys(more).find((name) => name !== 'api_token');
		if (unknown) throw refused(400, `Parameter '${unknown}' is not allowed`);
		if (!(Number(limit) >= 1 && Number(limit) <= 500)) throw refused(400, 'limit is wrong');
		if (updated_since && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(updated_since))
			throw refused(400, 'updated_since should be in RFC3339');
		const isOf = ({ participants = [] }: Activity) =>
			participants.some((one) => String(one.person_id) === person_id);
		const newestFirst = [...this.activities].sort(
			(one, other) => other.update_time.localeCompare(one.update_time) || other.id - one.id,
		);
		return (sort_by ? newestFirst : this.activities)
			.filter((activity) => person_id === undefined || isOf(activity))
			.filter(({ id }) => ids === undefined || ids.split(',').includes(String(id)))
			.filter(({ update_time }) => update_time >= updated_since)
			.slice(0, Number(limit));
	}

	private checkParticipants({ participants = [] }: Activity): void {
		const isThere = ({ person_id }: { person_id: number }) =>
			this.persons.some(({ id }) => id === person_id);
		if (!participants.every(isThere)) throw refused(400, 'participants: person was not found');
	}

	private find({ params }: FastifyRequest): Activity {
		return this.activityOf((params as { id: string }).id);
	}

	private activityOf(id: number | string): Activity {
		const found = this.activities.find((activity) => String(activity.id) === String(id));
		if (!found) throw refused(404, 'Activity not found');
		return found;
	}
}

interface Search {
	term: string;
	fields: string;
	limit: string;
}

type Listing = Partial<
	Record<'person_id' | 'ids' | 'updated_since' | 'limit' | 'sort_by' | 'sort_direction', string>
>;

/** Returns the current time to the second, as Pipedrive writes it. */
const now = (): string => new Date().toISOString().replace(/\.\d+/, '');

/** A person and an activity as the API shows them. */
const shownPerson = ({ foundFrom: _, ...person }: Person) => person;
const shown = ({ isTask: _, recordings: __, ...activity }: Activity) => activity;

const ok = (data: unknown) => ({ success: true, data });

function refused(status: number, error: string): Refused {
	return new Refused(status, { success: false, error, code: 'ERR_SCHEMA_VALIDATION_FAILED' });
}

function check<T extends object>(body: unknown, fields: Fields, required: string[] = []): T {
	const given = body as T & { due_date?: string };
	const wrong = wrongField(given, fields, required);
	if (wrong) throw refused(400, `Parameter '${wrong}' is not allowed, or required`);
	if (!/^(\d{4}-\d\d-\d\d)?$/.test(given.due_date ?? ''))
		throw refused(400, "Parameter 'due_date' should be a date");
	return given;
}
