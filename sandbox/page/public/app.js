import { control, listen } from './api.js';
import { clearCalls, takeCall } from './calls.js';
import { byId, h } from './dom.js';
import { drawFaults } from './faults.js';
import { addEntry, buildLogs, clearLogs, setCount } from './logs.js';
import { loadWebhooks } from './webhooks.js';

const LIMIT = 100;

const option = (value, text) => h('option', { value }, text);

async function loadState() {
	const { accounts, settings } = await control('GET', '/state');
	byId('profile').value = settings.profile;
	const account = byId('account');
	const chosen = account.value;
	account.replaceChildren(...accounts.map(({ id, name }) => option(id, name)));
	if (accounts.some(({ id }) => id === chosen)) account.value = chosen;
	const show = () => showAccount(accounts.find(({ id }) => id === account.value));
	account.onchange = show;
	show();
	const { contacts } = await control('GET', '/crm/contacts');
	byId('callers').replaceChildren(...contacts.map(({ number, name }) => option(number, name)));
}

function showAccount({ users, callflows }) {
	byId('answerers').replaceChildren(
		option('', 'First to ring'),
		...users.map(({ extension, name }) => option(extension, `${extension} ${name}`)),
	);
	const numbers = callflows.flatMap(({ name, numbers: own }) =>
		own.map((number) => [number, name]),
	);
	const extensions = users.map(({ extension, name }) => [extension, name]);
	byId('numbers').replaceChildren(
		...[...numbers, ...extensions].map(([value, text]) => option(value, text)),
	);
}

async function loadLogs() {
	clearLogs();
	clearCalls();
	const paths = {
		deliveries: '/deliveries',
		routing: '/routing',
		requests: '/requests',
		notes: '/crm/notes',
	};
	const { calls } = await control('GET', '/calls');
	calls.forEach(takeCall);
	for (const [name, path] of Object.entries(paths)) {
		const result = await control('GET', `${path}?limit=${LIMIT}`);
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
	pending ??= setTimeout(async () => {
		pending = undefined;
		await loadWebhooks();
	}, 500);
}

const handlers = {
	call: takeCall,
	delivery: (entry) => {
		addEntry('deliveries', entry);
		refreshSoon();
	},
	routing: (entry) => addEntry('routing', entry),
	request: (entry) => {
		addEntry('requests', entry);
		refreshSoon();
	},
	note: (entry) => addEntry('notes', entry),
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
