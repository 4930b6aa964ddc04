import { control, listen } from './api.js';
import { clearCalls, takeCall } from './calls.js';
import { byId, h } from './dom.js';
import { drawFaults } from './faults.js';
import { addEntry, buildLogs, clearLogs, setCount } from './logs.js';
import { loadWebhooks } from './webhooks.js';

const LIMIT = 100;

/** Callers to choose from, besides the employees. */
const OUTSIDE = [
	['12125550123', 'Anna Peters'],
	['12125550145', 'Daniel Irving'],
	['12125550161', 'Helen Vaughn'],
];

const fill = (id, options) =>
	byId(id).replaceChildren(...options.map(([value, text]) => h('option', { value }, text)));

async function loadState() {
	const { accounts, settings } = await control('GET', '/state');
	byId('profile').value = settings.profile;
	const account = byId('account');
	const chosen = account.value;
	fill(
		'account',
		accounts.map(({ id, name }) => [id, name]),
	);
	if (accounts.some(({ id }) => id === chosen)) account.value = chosen;
	account.onchange = () => showAccount(accounts.find(({ id }) => id === account.value));
	account.onchange();
}

function showAccount({ users, callflows }) {
	const employees = users.map(({ extension, name }) => [extension, name]);
	fill('callers', [...OUTSIDE, ...employees]);
	const answerers = employees.map(([extension, name]) => [extension, `${extension} ${name}`]);
	fill('answerers', [['', 'First to ring'], ...answerers]);
	const numbers = callflows.flatMap(({ name, numbers: own }) =>
		own.map((number) => [number, name]),
	);
	fill('numbers', [...numbers, ...employees]);
}

async function loadLogs() {
	clearLogs();
	clearCalls();
	const { calls } = await control('GET', '/calls');
	calls.forEach(takeCall);
	for (const path of ['deliveries', 'routing', 'requests', 'crm/notes']) {
		const name = path.replace('crm/', '');
		const result = await control('GET', `/${path}?limit=${LIMIT}`);
		result[name].forEach((entry) => addEntry(name, entry));
		setCount(name, result.counters?.tries ?? result.counters?.total ?? result.count);
	}
	drawFaults(await control('GET', '/faults'));
}

const reload = async () => await Promise.all([loadState(), loadLogs(), loadWebhooks()]);

function orderOf(form) {
	const order = Object.fromEntries(new FormData(form));
	for (const name of ['ring_seconds', 'talk_seconds', 'speed']) order[name] = Number(order[name]);
	for (const name of ['answered_by', 'legs']) if (order[name] === '') delete order[name];
	return order;
}

async function place(event) {
	event.preventDefault();
	const problem = byId('place-error');
	problem.hidden = true;
	try {
		takeCall(await control('POST', '/calls', orderOf(event.target)));
	} catch (error) {
		problem.textContent = error.message;
		problem.hidden = false;
	}
}

let pending;

/** Reads the webhooks again after requests, at most once per interval. */
function refreshSoon() {
	pending ??= setTimeout(() => {
		pending = undefined;
		void loadWebhooks();
	}, 500);
}

const logging = (name) => (entry) => {
	addEntry(name, entry);
	refreshSoon();
};

const handlers = {
	call: takeCall,
	delivery: logging('deliveries'),
	routing: logging('routing'),
	request: logging('requests'),
	note: logging('notes'),
	faults: drawFaults,
	settings: loadState,
	reset: reload,
};

function connected(isLive) {
	byId('live').textContent = isLive ? 'Live' : 'No connection';
	byId('live').classList.toggle('on', isLive);
	if (isLive) void reload();
}

buildLogs();
byId('place').addEventListener('submit', place);
byId('profile').addEventListener('change', ({ target }) =>
	control('PATCH', '/settings', { profile: target.value }),
);
byId('reset').addEventListener('click', () => control('POST', '/reset'));
byId('expire').addEventListener('click', () => control('POST', '/tokens/expire', {}));
listen(handlers, connected);
