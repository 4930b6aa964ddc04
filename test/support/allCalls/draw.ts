import type { CallOrder } from '../../../sandbox';
import type { Company } from './company';

/** Texts by which PBXs and carriers show a number outside. */
const SPELLINGS: Record<string, (digits: string) => string> = {
	digits: (digits) => digits,
	plus: (digits) => `+${digits}`,
	verstat: (digits) => `+${digits};verstat=TN-Validation-Passed`,
	'verstat failed': (digits) => `${digits};verstat=No-TN-Validation`,
	'calling party category': (digits) => `${digits};cpc=ordinary`,
	ported: (digits) => `+${digits};npdi;rn=+${digits.slice(0, 4)}9999999`,
	'percent-encoded': (digits) => `%2B${digits}`,
	'extension x': (digits) => `${digits}x204`,
	'extension ext.': (digits) => `+${digits} ext. 204`,
	'extension parameter': (digits) => `+${digits};ext=204`,
	'after commas': (digits) => `${digits},,204`,
	'SIP URI': (digits) => `sip:+${digits}@carrier.example;user=phone`,
	'SIPS URI with a port': (digits) => `sips:${digits}@203.0.113.5:5061`,
	'name and address': (digits) => `"Anna Field" <sip:+${digits}@carrier.example>`,
	'tel URI': (digits) => `tel:+${digits}`,
	hyphens: (digits) => `+${digits.slice(0, 1)}-${digits.slice(1, 4)}-${digits.slice(4)}`,
	brackets: (digits) => `+${digits.slice(0, 1)} (${digits.slice(1, 4)}) ${digits.slice(4)}`,
};

/** Texts of callers who withhold their number. */
const WITHHELD =
	`0000000000, 000, 00000000000000, anonymous, Anonymous, ANONYMOUS, Hidden, Private, Restricted,
	Unavailable, withheld, unknown, Blocked, 266696687, 7378742833, sip:anonymous@anonymous.invalid,
	"Anonymous" <sip:anonymous@anonymous.invalid>, скрыт, неизвестный, unterdrückt, unbekannt, masqué,
	inconnu, privado, oculto, sconosciuto, desconhecido, gizli, zastrzeżony`
		.split(/,\s+/)
		.concat('');

/** Texts before and after a dialed number that no phone outside sees. */
const DIALED: Record<string, (digits: string) => string> = {
	plain: (digits) => digits,
	'prefix 9': (digits) => `9${digits}`,
	'prefix 0': (digits) => `0${digits}`,
	'prefix *67': (digits) => `*67${digits}`,
	'prefix #31#': (digits) => `#31#${digits}`,
	'prefix *31#': (digits) => `*31#${digits}`,
	'# at the end': (digits) => `${digits}#`,
};

/** Draws the orders of calls of all kinds between a company and the outside. */
export function callDrawer(random: () => number, company: Company): () => Partial<CallOrder> {
	const below = (limit: number) => Math.floor(random() * limit);
	const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T;
	const { extensions, lines } = company;
	const [main = '', all = '', both = '', message = ''] = lines;
	const number = () =>
		oneOf([
			`1212555${1000 + below(900)}`,
			`7916${1_000_000 + below(900)}`,
			`442079460${100 + below(900)}`,
		]);
	const colleague = (...not: Array<string | undefined>) =>
		oneOf(extensions.filter((one) => !not.includes(one)));
	const seconds = () => ({ ring_seconds: 1 + below(8), talk_seconds: 1 + below(300) });
	const lost = () => oneOf(['busy', 'no-answer', 'cancelled', 'declined'] as const);
	const outcome = () => (random() < 0.6 ? ('answered' as const) : lost());

	const caller = (): Partial<CallOrder> => {
		const kind = random();
		if (kind < 0.2) return { from: oneOf(WITHHELD), caller_number: '' };
		const short = ['900', '0500', '6470', '12345', '088'];
		if (kind < 0.3) return { from: oneOf(short.filter((one) => !extensions.includes(one))) };
		const digits = number();
		return { from: oneOf(Object.values(SPELLINGS))(digits), caller_number: digits };
	};

	const anyLine = () => oneOf([main, all, both]);
	/** A call that two employees share: transferred, or parked. */
	const shared = (by: 'retrieved_by' | 'transferred_to') => {
		const answered_by = oneOf(extensions.slice(0, 2));
		const then = { [by]: colleague(answered_by), then_seconds: 1 + below(200) };
		return { to: all, outcome: 'answered', answered_by, ...then } as const;
	};
	/** The possible courses of a call from outside, by the line that it calls. */
	const FATES: Array<() => Partial<CallOrder>> = [
		() => ({ to: anyLine(), outcome: 'answered' }),
		() => ({ to: both, outcome: 'answered', only_losers: true }),
		() => ({ to: anyLine(), outcome: lost() }),
		() => ({ to: anyLine(), outcome: lost() }),
		() => ({ to: anyLine(), outcome: 'voicemail' }),
		() => ({ to: message, outcome: 'voicemail' }),
		() => ({ to: main, outcome: 'answered', picked_up_by: colleague(extensions[0]) }),
		() => shared('transferred_to'),
		() => shared('retrieved_by'),
		() => ({
			to: main,
			outcome: oneOf(['answered', 'no-answer', 'busy', 'cancelled']),
			forward_to: number(),
		}),
		() => ({ to: main, taken_by: oneOf(['fax', 'conference']) }),
	];

	const incoming = () => ({ ...seconds(), ...oneOf(FATES)(), ...caller() });
	const outgoing = (): Partial<CallOrder> => {
		const order = { ...seconds(), from: colleague(), outcome: outcome() };
		const digits = number();
		const kind = random();
		if (kind < 0.1) return { ...order, to: oneOf(['112', '911']) };
		if (kind < 0.2) return { ...order, to: digits, kind: 'click_to_call' };
		const shown: Partial<CallOrder> = random() < 0.5 ? { shown_number: main } : {};
		const to = kind < 0.35 ? oneOf(['*001', '*0117', '**5']) : oneOf(Object.values(DIALED))(digits);
		return { ...order, ...shown, to, reaches: digits };
	};
	const internal = () => {
		const from = colleague();
		return { ...seconds(), from, to: colleague(from), outcome: outcome() };
	};
	return () => {
		const kind = random();
		if (kind < 0.68) return incoming();
		return kind < 0.9 ? outgoing() : internal();
	};
}
