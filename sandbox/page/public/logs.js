import { byId, clock, code, h, pill } from './dom.js';

const SHOWN = 100;

const statusPill = (status) => {
	if (!status) return pill('no answer', 'bad');
	return pill(String(status), status < 300 ? 'good' : status < 400 ? 'busy' : 'bad');
};

const row = (head, ...details) =>
	h('details', { className: 'row' }, h('summary', {}, ...head), ...details);

const labelled = (label, value) =>
	value === '' || value === undefined ? null : h('div', {}, h('h4', {}, label), code(value));

function deliveryRow(entry) {
	const retry = entry.try > 1 ? pill(`attempt ${entry.try}`, 'busy') : null;
	const result = entry.result === 'lost' ? pill('lost', 'bad') : statusPill(entry.status);
	return row(
		[
			h('time', {}, clock(entry.at)),
			h('strong', {}, entry.event),
			h('span', { className: 'soft' }, entry.leg),
			result,
			retry,
			h('span', { className: 'address' }, entry.uri),
			h('span', { className: 'soft' }, `${entry.ms} ms`),
		],
		labelled('Answer', entry.error ?? entry.response),
		labelled('Event', { name: entry.event, args: entry.payload }),
	);
}

function routingRow(entry) {
	const kinds = { executed: 'good', child: 'busy', ended: 'bad' };
	return row(
		[
			h('time', {}, clock(entry.at)),
			h('strong', {}, entry.method),
			statusPill(entry.status),
			pill(entry.outcome, kinds[entry.outcome]),
			...entry.problems.map(({ rule, step }) => pill(step ? `step ${step}: ${rule}` : rule, 'bad')),
			h('span', { className: 'address' }, entry.url.split('?')[0]),
			h('span', { className: 'soft' }, `${entry.ms} ms`),
		],
		...entry.problems.map(({ message }) => h('p', { className: 'error' }, message)),
		...entry.warnings.map((warning) => h('p', { className: 'error' }, warning)),
		labelled('Request', Object.fromEntries(new URL(entry.url).searchParams)),
		labelled('Answer', entry.answer),
	);
}

const requestRow = (entry) =>
	row(
		[
			h('time', {}, clock(entry.at)),
			h('strong', {}, entry.method),
			statusPill(entry.status),
			h('span', { className: 'address' }, entry.path),
			h('span', { className: 'soft' }, `${entry.ms} ms`),
		],
		labelled('Contract section', entry.row),
		labelled('Account', entry.account_id ?? ''),
	);

const noteRow = (note) =>
	row(
		[
			h('time', {}, clock(note.receivedAt)),
			h('span', { className: 'address' }, JSON.stringify(note.body)),
		],
		labelled('Note', note.body),
	);

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
		counters[name] = h('span', { className: 'count' }, '0');
		lists[name] = h('div', { className: 'rows', 'data-empty': empty });
		const tab = {
			type: 'button',
			id: `tab-${name}`,
			role: 'tab',
			'aria-controls': `panel-${name}`,
			onclick: () => choose(name),
		};
		byId('tabs').append(h('button', tab, title, counters[name]));
		const panel = { id: `panel-${name}`, role: 'tabpanel', 'aria-labelledby': `tab-${name}` };
		byId('panels').append(h('div', panel, lists[name]));
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
