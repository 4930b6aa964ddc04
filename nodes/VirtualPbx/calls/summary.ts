import type { Call } from './call';
import type { Outcome } from './outcome';

/** How an unanswered call went. An answered one shows how long it lasted instead. */
const WORDS: Record<Exclude<Outcome, 'answered'>, string> = {
	busy: 'busy',
	declined: 'declined',
	elsewhere: 'answered on another phone',
	failed: "couldn't be connected",
	noAnswer: 'not answered',
	ringing: 'ringing',
	voicemail: 'reached only voicemail',
};

/**
 * Returns a call in plain words, such as `Incoming call answered by employee 101, lasted 1 min 12 s`. Contains nothing
 * that callers can choose, and no character that is markup anywhere.
 */
export function summaryOf({ type, outcome, employee, talk }: Call): string {
	const user = employee?.user.replace(/[^\p{L}\p{N} +.-]/gu, '').trim();
	const by = type === 'incoming' && outcome !== 'answered' ? 'for' : 'by';
	const who = user ? ` ${by} employee ${user}` : '';
	const kind = type ? `${type.charAt(0).toUpperCase()}${type.slice(1)} call` : 'Call';
	if (outcome !== 'answered') return `${kind}${who}, ${WORDS[outcome]}`;
	const answered = type === 'incoming' || !type ? ' answered' : '';
	const lasted = talk === undefined ? '' : `, lasted ${durationOf(talk)}`;
	return `${kind}${answered}${who}${lasted}`;
}

/** `3725` → `1 h 2 min 5 s`. */
function durationOf(seconds: number): string {
	const whole = Math.round(seconds);
	const parts = [
		[Math.floor(whole / 3600), 'h'],
		[Math.floor(whole / 60) % 60, 'min'],
		[whole % 60, 's'],
	] as const;
	const shown = parts.filter(([count]) => count > 0);
	return (shown.length > 0 ? shown : parts.slice(-1)).map((part) => part.join(' ')).join(' ');
}
