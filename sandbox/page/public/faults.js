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
	const onchange = async () => {
		// The response redraws the switch. A second click on this one would add the fault twice.
		box.disabled = true;
		await (on ? control('DELETE', `/faults/${on.id}`) : control('POST', '/faults', order));
	};
	const box = h('input', { type: 'checkbox', role: 'switch', checked: Boolean(on), onchange });
	return h('li', h('label', box, h('span', label)));
}

/** Shows the switches. The command line lists faults that were added elsewhere. */
export function drawFaults({ faults }) {
	byId('switches').replaceChildren(...SWITCHES.map((entry) => switchItem(entry, faults)));
}
