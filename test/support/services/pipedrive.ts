import type { FastifyRequest } from 'fastify';
import { Refused, Service, wrongField } from './service';
import type { Fields } from './service';

export interface Person {
	id: number;
	name: string;
	owner_id: number;
	phones: Array<{ value: string; primary: boolean; label: string }>;
}

export interface Activity {
	id: number;
	subject: string;
	type: string;
	done: boolean;
	owner_id?: number;
	due_date?: string;
	note?: string;
	update_time: string;
	participants?: Array<{ person_id: number; primary: boolean }>;
}

/** The fields that Pipedrive's second version documents for writing. */
const PERSON: Fields = { string: ['name'], number: ['owner_id'], object: ['phones'] };
const ACTIVITY: Fields = {
	string: ['subject', 'type', 'due_date', 'note'],
	boolean: ['done'],
	number: ['owner_id'],
	object: ['participants'],
};

/** Simulates Pipedrive's documented API, as far as the kit uses it. */
export class Pipedrive extends Service {
	/** The valid token. */
	token = 'pipedrive-token';
	readonly persons: Person[] = [];
	readonly activities: Activity[] = [];

	constructor() {
		super(
			['api.pipedrive.com'],
			({ query }) => (query as { api_token?: string }).api_token === this.token,
		);
		this.app.get('/api/v2/persons/search', ({ query }) =>
			ok({ items: this.search(query as Search) }),
		);
		this.app.get('/api/v2/activities', ({ query }) => ok(this.list(query as Listing)));
		this.app.post('/api/v2/persons', ({ body }, reply) => {
			const person = { ...check<Person>(body, PERSON, ['name']), id: this.persons.length + 1 };
			this.persons.push({ ...person, owner_id: person.owner_id ?? 1 });
			return reply.code(201).send(ok(person));
		});
		this.app.post('/api/v2/activities', ({ body }, reply) => {
			const fields = check<Activity>(body, ACTIVITY, ['subject', 'type']);
			const activity = { ...fields, id: this.activities.length + 1, update_time: now() };
			this.checkParticipants(activity);
			this.activities.push(activity);
			return reply.code(201).send(ok(activity));
		});
		this.app.patch('/api/v2/activities/:id', (request) =>
			ok(
				Object.assign(this.find(request), check<Activity>(request.body, ACTIVITY), {
					update_time: now(),
				}),
			),
		);
	}

	/** Adds a person as a user of Pipedrive would. */
	addPerson(name: string, phone: string, owner_id: number): Person {
		const phones = [{ value: phone, primary: true, label: 'work' }];
		const person = { id: this.persons.length + 1, name, owner_id, phones };
		this.persons.push(person);
		return person;
	}

	private search({ term, fields, limit }: Search): object[] {
		if (term.length < 2) throw refused(400, 'The search term must be at least 2 characters long');
		if (fields !== 'phone') throw refused(400, 'The stand-in searches telephone numbers only');
		const wanted = term.replace(/\D/g, '');
		const found = this.persons.filter(({ phones }) =>
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

	private list({ person_id, updated_since = '', done, limit, ...more }: Listing): Activity[] {
		const unknown = Object.keys(more).find((name) => name !== 'api_token');
		if (unknown) throw refused(400, `Parameter '${unknown}' is not allowed`);
		if (!(Number(limit) >= 1 && Number(limit) <= 500)) throw refused(400, 'limit is wrong');
		if (updated_since && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(updated_since))
			throw refused(400, 'updated_since should be in RFC3339');
		const isOf = ({ participants = [] }: Activity) =>
			participants.some((one) => String(one.person_id) === person_id);
		return this.activities
			.filter((activity) => person_id === undefined || isOf(activity))
			.filter((activity) => done === undefined || String(activity.done) === done)
			.filter(({ update_time }) => update_time >= updated_since)
			.slice(0, Number(limit));
	}

	private checkParticipants({ participants = [] }: Activity): void {
		const isThere = ({ person_id }: { person_id: number }) =>
			this.persons.some(({ id }) => id === person_id);
		if (!participants.every(isThere)) throw refused(400, 'participants: person was not found');
	}

	private find({ params }: FastifyRequest): Activity {
		const { id } = params as { id: string };
		const found = this.activities.find((activity) => String(activity.id) === id);
		if (!found) throw refused(404, 'Activity not found');
		return found;
	}
}

interface Search {
	term: string;
	fields: string;
	limit: string;
}

type Listing = Partial<Record<'person_id' | 'updated_since' | 'done' | 'limit', string>>;

/** Returns the current time to the second, as Pipedrive writes it. */
const now = (): string => new Date().toISOString().replace(/\.\d+/, '');

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
