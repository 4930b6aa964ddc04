import { control } from './api.js';
import { byId, h } from './dom.js';

/** The faults with their own switch. */
const SWITCHES = [
	['Answers take 3 s', { kind: 'latency', seconds: 3 }],
	['Requests are never answered', { kind: 'latency' }],
	['Connections are lost', { kind: 'drop' }],
	['503 Service unavailable', { kind: 'status', status: 503 }],
	['429 with Retry-After: 2', { kind: 'status', status: 429, headers: { 'retry-after': '2' } }],
	['Responses break off', { kind: 'drop', when: 'during' }],
	['Events are sent twice', { kind: 'delivery-duplicate' }],
	['Events arrive out of order', { kind: 'delivery-reorder' }],
	['Events are lost', { kind: 'delivery-lose' }],
];

const signature = ({ id: _id, hits: _hits, seen: _seen, ...order }) =>
	JSON.stringify(Object.entries(order).sort(([one], [other]) => one.localeCompare(other)));

function switchItem([label, order], faults) {
	const on = faults.find((fault) => signature(fault) === signature(order));
	const flip = async () => {
		// The response redraws the switch. A second click on this one would add the fault twice.
		box.disabled = true;
		try {
			await (on ? control('DELETE', `/faults/${on.id}`) : control('POST', '/faults', order));
		} catch (error) {
			box.disabled = false;
			throw error;
		}
	};
	const box = h('input', {
		type: 'checkbox',
		role: 'switch',
		checked: Boolean(on),
		onchange: flip,
	});
	const hits = on?.hits ? h('span', { className: 'count' }, String(on.hits)) : null;
	return h('li', {}, h('label', {}, box, h('span', {}, label), hits));
}

function otherItem(fault) {
	const { id, hits, seen: _seen, ...order } = fault;
	const remove = () => control('DELETE', `/faults/${id}`);
	return h(
		'li',
		{},
		h('code', {}, JSON.stringify(order)),
		h('span', { className: 'count' }, String(hits)),
		h('button', { type: 'button', className: 'quiet', onclick: remove }, 'Off'),
	);
}

/** Shows the switches, and the faults that were added elsewhere. */
export function drawFaults({ faults }) {
	const known = new Set(SWITCHES.map(([, order]) => signature(order)));
	byId('switches').replaceChildren(...SWITCHES.map((entry) => switchItem(entry, faults)));
	const others = faults.filter((fault) => !known.has(signature(fault)));
	byId('other-faults').replaceChildren(...others.map(otherItem));
}
