import { control } from './api.js';
import { byId, clock, h, pill } from './dom.js';

const SHOWN = 30;
const STAGES = ['ringing', 'answered', 'hangup'];
/** The party of a leg, by its direction from the PBX's point of view. */
const END = { inbound: 'caller', outbound: 'called' };
const GOOD = new Set(['answered', 'voicemail', 'played', 'fax', 'conference']);
const calls = new Map();
let isDrawn = true;

/** Updates a call. Redraws the page at most once per frame. */
export function takeCall(call) {
	calls.delete(call.id);
	calls.set(call.id, call);
	while (calls.size > SHOWN) calls.delete(calls.keys().next().value);
	drawSoon();
}

/** Forgets every call. */
export function clearCalls() {
	calls.clear();
	drawSoon();
}

function drawSoon() {
	if (!isDrawn) return;
	isDrawn = false;
	requestAnimationFrame(draw);
}

function draw() {
	isDrawn = true;
	const ordered = [...calls.values()].sort((one, other) =>
		other.placed_at.localeCompare(one.placed_at),
	);
	const list = byId('calls');
	const old = new Map([...list.children].map((item) => [item.dataset.id, item]));
	list.replaceChildren(...ordered.map((call) => keepPlaying(old.get(call.id), call)));
	byId('no-calls').hidden = calls.size > 0;
}

/** Keeps an unchanged item, so that its recording keeps playing. */
function keepPlaying(item, call) {
	const version = JSON.stringify(call);
	if (item?.version === version) return item;
	const fresh = callItem(call);
	fresh.version = version;
	return fresh;
}

function callItem(call) {
	const isActive = call.state === 'active';
	const result = isActive
		? pill('in progress', 'busy')
		: pill(call.result, GOOD.has(call.result) ? 'good' : 'bad');
	return h(
		'li',
		{ className: `call ${call.state}`, 'data-id': call.id },
		h(
			'div',
			{ className: 'call-head' },
			h('strong', {}, call.from, h('span', { className: 'arrow' }, ' → '), call.to),
			result,
			h('time', {}, clock(call.placed_at)),
			isActive ? hangUpButton(call) : call.recording && recordingButton(call),
		),
		h('p', { className: 'steps' }, call.steps.join(' · ')),
		h('ul', { className: 'legs' }, ...call.legs.map(legItem)),
	);
}

const hangUpButton = ({ id }) =>
	h(
		'button',
		{ type: 'button', className: 'danger', onclick: () => control('DELETE', `/calls/${id}`) },
		'Hang up',
	);

function recordingButton({ recording }) {
	const button = h('button', { type: 'button', className: 'quiet' }, 'Recording');
	button.addEventListener('click', async () => {
		const address = `/sandbox/recordings/${recording}`;
		const { ok } = await fetch(address, { method: 'HEAD' });
		if (!ok) {
			button.textContent = 'Not ready. Try again';
			return;
		}
		const player = h('audio', { controls: true, autoplay: true, src: address });
		button.replaceWith(player);
	});
	return button;
}

function legItem(leg) {
	const at = STAGES.indexOf(leg.state);
	const wasAnswered = leg.billing_seconds > 0 || leg.state === 'answered';
	const dots = STAGES.map((stage, index) => {
		const isReached = index <= at && (stage !== 'answered' || wasAnswered);
		const state = index === at ? 'now' : isReached ? 'past' : 'ahead';
		return h('span', { className: `stage ${state} ${stage}` }, stage);
	});
	const who =
		leg.direction === 'inbound'
			? `from ${leg.name}`
			: `${leg.name === leg.to ? '' : `${leg.name}, `}${leg.to}, ${leg.device ?? 'outside line'}`;
	const times = `rang ${leg.ringing_seconds} s, talked ${leg.billing_seconds} s`;
	return h(
		'li',
		{ className: `leg ${leg.state}` },
		h(
			'span',
			{ className: 'direction', title: leg.direction },
			END[leg.direction] ?? leg.direction,
		),
		h('span', { className: 'who' }, who),
		h('span', { className: 'stages' }, ...dots),
		h(
			'span',
			{ className: 'cause' },
			leg.hangup_cause ? `${leg.hangup_cause} ${leg.hangup_code}` : '',
		),
		h('span', { className: 'times' }, leg.state === 'hangup' ? times : ''),
	);
}
