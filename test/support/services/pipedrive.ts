import { CrmStandIn, digitsOf, foundLater, isFound } from './crm';
import { Refused } from './service';

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

/** Simulates Pipedrive's documented API, as far as the kit uses it. Its official types check the fields. */
export class Pipedrive extends CrmStandIn<Person, Activity, Activity> {
	override readonly official = 'pipedrive';
	readonly kit = 'pipedrive';
	readonly title = 'Pipedrive';
	override readonly credentialType = 'pipedriveApi';
	protected readonly creates = { customer: '/persons', call: '/activities', task: '/activities' };
	protected override readonly taskList = this.callList;
	/** The activities of the call logs, by the logs' IDs. */
	private readonly logs = new Map<string, Activity>();

	constructor() {
		super(
			['api.pipedrive.com'],
			({ query }) => (query as { api_token?: string }).api_token === TOKEN,
		);
		// n8n's test of a credential requests it.
		this.on('GET', '/v1/userSettings', () => ok({ list_limit: 50, beta_app: false }));
		this.on('GET', '/v1/users/find', ({ query: { term, search_by_email } }) => {
			if (search_by_email !== '1') throw refused('search_by_email');
			const users = [77, 88].map((id) => ({ id, name: `User ${id}`, email: `${id}@x.example` }));
			return ok(users.filter(({ email }) => email === term));
		});
		this.on('GET', '/api/v2/persons/search', ({ query }) => ok({ items: this.search(query) }));
		this.on('GET', '/api/v2/activities', ({ query }) => ok(this.list(query).map(shown)));
		this.on('GET', '/api/v2/activities/:id', ({ params }) => ok(shown(this.find(params.id))));
		this.on<Partial<Person>>(
			'POST',
			'/api/v2/persons',
			({ body: { name, phones = [], owner_id = 77 } }) => {
				if (!name) throw refused('name');
				const own = { id: this.nextId(), name, phones, owner_id };
				this.customerList.push({ ...own, foundFrom: foundLater() });
				return ok(own);
			},
		);
		this.on<Activity>('POST', '/api/v2/activities', ({ body }) => {
			if (!body.subject || !body.type) throw refused('subject, type');
			if (!(body.participants ?? []).every(({ person_id }) => this.isThere(person_id)))
				throw refused('participants: person was not found');
			const own = { id: this.nextId(), recordings: [], isTask: false };
			const activity = changed({ ...body, ...own }, body);
			this.callList.push(activity);
			return ok(shown(activity));
		});
		this.on<Partial<Activity>>('PATCH', '/api/v2/activities/:id', ({ params, body }) =>
			ok(shown(changed(this.find(params.id), body))),
		);
		this.on<Note>('POST', '/v1/notes', ({ body }) => {
			if (!body.content || !this.isThere(body.person_id)) throw refused('content, person_id');
			this.written.push(body.content);
			return ok({ id: this.nextId(), ...body });
		});
		this.on<{ activity_id: number; outcome: string }>('POST', '/v1/callLogs', ({ body }) => {
			const id = `log-${this.nextId()}`;
			this.logs.set(id, this.find(body.activity_id));
			return ok({ id, ...body, has_recording: false, company_id: 1 });
		});
		this.on<Buffer>('POST', '/v1/callLogs/:id/recordings', ({ params: { id = '' }, body }) => {
			const text = body.toString('latin1');
			if (!text.includes('name="file"')) throw refused('file is required');
			this.logs.get(id)?.recordings.push(text.includes('RIFF') ? 'RIFF' : 'no recording');
			return { success: true };
		});
	}

	override credential() {
		return { apiToken: TOKEN };
	}

	addCustomer(name: string, phone: string, owner = '66'): void {
		const phones = [{ value: phone, primary: true, label: 'work' }];
		const own = { id: this.nextId(), owner_id: Number(owner), foundFrom: 0 };
		this.customerList.push({ ...own, name, phones });
	}

	protected callOf(activity: Activity) {
		const { note = '', recordings, subject } = activity;
		const task = this.taskOf(activity);
		return {
			callId: /Call ID: (\S+?)(?: \(ringing\))?(?:<|$)/.exec(note)?.[1] ?? '',
			customer: this.customerOf(activity),
			// A task shows the call in its note.
			text: task ? (note.split('<br>')[0] ?? '') : subject,
			body: [note, ...recordings].join(),
			user: task ? '88' : String(activity.owner_id ?? ''),
		};
	}

	protected taskOf(activity: Activity) {
		if (!activity.isTask) return undefined;
		const user = String(activity.owner_id ?? '');
		return { customer: this.customerOf(activity), isOpen: !activity.done, user };
	}

	protected reopen(activity: Activity): void {
		activity.done = false;
	}

	private customerOf({ participants: [one] = [] }: Activity): string {
		return one ? this.nameWith(one.person_id) : '';
	}

	private isThere(person: number): boolean {
		return this.customerList.some(({ id }) => id === person);
	}

	/** Finds parts of stored numbers, the newest first: Pipedrive doesn't document an order. */
	private search({ term = '', fields, limit }: Record<string, string>): object[] {
		if (term.length < 2) throw refused('The search term must be at least 2 characters long');
		if (fields !== 'phone') throw refused('The stand-in searches telephone numbers only');
		const wanted = digitsOf(term);
		const hasIt = ({ phones }: Person) =>
			phones.some(({ value }) => wanted && digitsOf(value).includes(wanted));
		return this.customerList
			.filter((person) => isFound(person) && hasIt(person))
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

	private list(query: Record<string, string>): Activity[] {
		const { person_id, updated_since = '', limit, sort_by, sort_direction } = query;
		if (sort_by !== 'update_time' || sort_direction !== 'desc')
			throw refused('The stand-in sorts by update_time, the newest first');
		if (!(Number(limit) >= 1 && Number(limit) <= 500)) throw refused('limit is wrong');
		if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(updated_since))
			throw refused('updated_since should be in RFC3339');
		const isOf = ({ participants = [] }: Activity) =>
			participants.some((one) => String(one.person_id) === person_id);
		return this.callList
			.filter((activity) => person_id === undefined || isOf(activity))
			.filter(({ update_time }) => update_time >= updated_since)
			.sort((one, other) => other.update_time.localeCompare(one.update_time) || other.id - one.id)
			.slice(0, Number(limit));
	}

	private find(wanted: number | string = ''): Activity {
		const found = this.callList.find(({ id }) => String(id) === String(wanted));
		if (!found) throw refused('Activity not found', 404);
		return found;
	}
}

const TOKEN = 'pipedrive-token';

/** Changes an activity now, to the second, as Pipedrive writes it. */
function changed(activity: Activity, changes: Partial<Activity>): Activity {
	if (!/^(\d{4}-\d\d-\d\d)?$/.test(changes.due_date ?? ''))
		throw refused("Parameter 'due_date' should be a date");
	const isTask = activity.isTask || changes.subject?.startsWith('Call back ') === true;
	const update_time = new Date().toISOString().replace(/\.\d+/, '');
	return Object.assign(activity, changes, { update_time, isTask });
}

/** An activity as the API shows it. */
const shown = ({ isTask: _, recordings: __, ...activity }: Activity) => activity;

const ok = (data: unknown) => ({ success: true, data });

function refused(error: string, status = 400): Refused {
	return new Refused(status, { success: false, error, code: 'ERR_SCHEMA_VALIDATION_FAILED' });
}
