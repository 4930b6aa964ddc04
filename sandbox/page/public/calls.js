import { control } from './api.js';
import { byId, h, pill, time } from './dom.js';

const SHOWN = 30;
const STAGES = ['ringing', 'answered', 'hangup'];
const GOOD = new Set(['answered', 'voicemail', 'played', 'fax', 'conference']);
const calls = new Map();
let frame;

/** Updates a call. Redraws the page at most once per frame. */
export function takeCall(call) {
	calls.delete(call.id);
	calls.set(call.id, call);
	while (calls.size > SHOWN) calls.delete(calls.keys().next().value);
	frame ??= requestAnimationFrame(draw);
}

/** Forgets every call. */
export function clearCalls() {
	calls.clear();
	frame ??= requestAnimationFrame(draw);
}

function draw() {
	frame = undefined;
	const ordered = [...calls.values()].sort((one, other) =>
		other.placed_at.localeCompare(one.placed_at),
	);
	const list = byId('calls');
	const old = new Map([...list.children].map((item) => [item.version, item]));
	list.replaceChildren(...ordered.map((call) => keepPlaying(old, call)));
	byId('no-calls').hidden = calls.size > 0;
}

/** Keeps an unchanged item, so that its recording keeps playing. */
function keepPlaying(old, call) {
	const version = JSON.stringify(call);
	return old.get(version) ?? Object.assign(callItem(call), { version });
}

function callItem(call) {
	const isActive = call.state === 'active';
	const result = isActive
		? pill('in progress', 'busy')
		: pill(call.result, GOOD.has(call.result) ? 'good' : 'bad');
	const button = isActive ? hangUpButton(call) : call.recording && recordingButton(call);
	const title = h('strong', call.from, h('span.arrow', ' → '), call.to);
	return h(
		`li.call.${call.state}`,
		h('div.call-head', title, result, time(call.placed_at), button),
		h('p.steps', call.steps.join(' · ')),
		h('ul.legs', ...call.legs.map(legItem)),
	);
}

const hangUpButton = ({ id }) =>
	h('button.danger', { onclick: () => control('DELETE', `/calls/${id}`) }, 'Hang up');

function recordingButton({ recording }) {
	const src = `/sandbox/recordings/${recording}`;
	const play = async () => {
		const { ok } = await fetch(src, { method: 'HEAD' });
		if (ok) button.replaceWith(h('audio', { controls: true, autoplay: true, src }));
		else button.textContent = 'Not ready. Try again';
	};
	const button = h('button.quiet', { onclick: play }, 'Recording');
	return button;
}

function legItem(leg) {
	const at = STAGES.indexOf(leg.state);
	const wasAnswered = leg.billing_seconds > 0 || leg.state === 'answered';
	const dots = STAGES.map((stage, index) => {
		const isReached = index <= at && (stage !== 'answered' || wasAnswered);
		const state = index === at ? 'now' : isReached ? 'past' : 'ahead';
		return h(`span.stage.${state}.${stage}`, stage);
	});
	const isInbound = leg.direction === 'inbound';
	const callee = [...new Set([leg.name, leg.to]), leg.device ?? 'outside line'].join(', ');
	const cause = leg.hangup_cause ? `${leg.hangup_cause} ${leg.hangup_code}` : '';
	const times = `rang ${leg.ringing_seconds} s, talked ${leg.billing_seconds} s`;
	return h(
		`li.leg.${leg.state}`,
		// The party of a leg, by its direction from the PBX's point of view.
		h('span.direction', { title: leg.direction }, isInbound ? 'caller' : 'called'),
		h('span.who', isInbound ? `from ${leg.name}` : callee),
		h('span.stages', ...dots),
		h('span.cause', cause),
		h('span.times', leg.state === 'hangup' ? times : ''),
	);
}
