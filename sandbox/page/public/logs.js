import { address, byId, h, pill, soft, time } from './dom.js';

const SHOWN = 100;

const statusPill = (status) => {
	if (!status) return pill('no answer', 'bad');
	return pill(String(status), status < 300 ? 'good' : status < 400 ? 'busy' : 'bad');
};

const row = (head, ...details) => h('details.row', h('summary', ...head), ...details);
const problem = (text) => h('p.error', text);

/** Shows text, or anything else as JSON, unless it is empty. */
function labelled(label, value) {
	if (value === '' || value === undefined || value === null) return null;
	const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
	return h('div', h('h4', label), h('pre', text));
}

const deliveryRow = (entry) =>
	row(
		[
			...[time(entry.at), h('strong', entry.event), soft(entry.leg)],
			entry.result === 'lost' ? pill('lost', 'bad') : statusPill(entry.status),
			entry.try > 1 && pill(`attempt ${entry.try}`, 'busy'),
			...[address(entry.uri), soft(`${entry.ms} ms`)],
		],
		labelled('Answer', entry.error ?? entry.response),
		labelled('Event', { name: entry.event, args: entry.payload }),
	);

const OUTCOMES = { executed: 'good', child: 'busy', ended: 'bad' };

const routingRow = (entry) =>
	row(
		[
			...[time(entry.at), h('strong', entry.method), statusPill(entry.status)],
			pill(entry.outcome, OUTCOMES[entry.outcome]),
			...entry.problems.map(({ rule, step }) => pill(step ? `step ${step}: ${rule}` : rule, 'bad')),
			...[address(entry.url.split('?')[0]), soft(`${entry.ms} ms`)],
		],
		...entry.problems.map(({ message }) => problem(message)),
		...entry.warnings.map(problem),
		labelled('Request', Object.fromEntries(new URL(entry.url).searchParams)),
		labelled('Answer', entry.answer),
	);

const requestRow = (entry) =>
	row(
		[
			...[time(entry.at), h('strong', entry.method), statusPill(entry.status)],
			...[address(entry.path), soft(`${entry.ms} ms`)],
		],
		labelled('Contract section', entry.row),
		labelled('Account', entry.account_id),
	);

const noteRow = ({ receivedAt, body }) =>
	row([time(receivedAt), address(JSON.stringify(body))], labelled('Note', body));

const LOGS = {
	deliveries: {
		title: 'Deliveries',
		draw: deliveryRow,
		empty: 'No deliveries yet. Events go to the webhooks that a client registers.',
	},
	routing: {
		title: 'Routing',
		draw: routingRow,
		empty: 'No routing requests yet. Call a number with a pivot module in its callflow.',
	},
	requests: { title: 'Requests', draw: requestRow, empty: 'No requests yet.' },
	notes: {
		title: 'CRM notes and messages',
		draw: noteRow,
		empty: 'No notes yet. Workflows post them to /sandbox/crm/notes.',
	},
};

const lists = {};
const counters = {};

function choose(name) {
	for (const other of Object.keys(LOGS)) {
		byId(`tab-${other}`).setAttribute('aria-selected', String(other === name));
		byId(`panel-${other}`).hidden = other !== name;
	}
}

/** Builds the tabs with their empty lists. */
export function buildLogs() {
	for (const [name, { title, empty }] of Object.entries(LOGS)) {
		counters[name] = h('span.count', '0');
		lists[name] = h('div.rows', { 'data-empty': empty });
		const [tab, panel] = [`tab-${name}`, `panel-${name}`];
		const properties = {
			id: tab,
			role: 'tab',
			'aria-controls': panel,
			onclick: () => choose(name),
		};
		byId('tabs').append(h('button', properties, title, counters[name]));
		const own = { id: panel, role: 'tabpanel', 'aria-labelledby': tab };
		byId('panels').append(h('div', own, lists[name]));
	}
	choose('deliveries');
}

/** Adds an entry at the top of a log. */
export function addEntry(name, entry) {
	lists[name].prepend(LOGS[name].draw(entry));
	while (lists[name].children.length > SHOWN) lists[name].lastChild.remove();
	setCount(name, Number(counters[name].textContent) + 1);
}

/** Shows the total number of entries. */
export function setCount(name, count) {
	counters[name].textContent = String(count);
}

/** Empties every log. */
export function clearLogs() {
	for (const name of Object.keys(LOGS)) {
		lists[name].replaceChildren();
		setCount(name, 0);
	}
}
