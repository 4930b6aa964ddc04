import type { CallOrder } from '../../../sandbox';

/** A company in the sandbox, as far as calls need it. */
export interface Company {
	name: string;
	/** Whose phones ring, in this order. */
	extensions: readonly string[];
	/** Its numbers: the first rings one employee, the second all, the third one after the other; the last is a message. */
	lines: readonly string[];
	/** The credential's Extensions, if the default isn't right. */
	extensionDigits?: string;
}

/** A call to place, with its kind in words for the report of a failure. */
export interface DrawnCall {
	kind: string;
	order: Partial<CallOrder>;
}

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
const WITHHELD = [
	...['', '0000000000', '000', '00000000000000', 'anonymous', 'Anonymous', 'ANONYMOUS', 'Hidden'],
	...['Private', 'Restricted', 'Unavailable', 'withheld', 'unknown', 'Blocked', '266696687'],
	...[
		'7378742833',
		'sip:anonymous@anonymous.invalid',
		'"Anonymous" <sip:anonymous@anonymous.invalid>',
	],
	...['скрыт', 'неизвестный', 'unterdrückt', 'unbekannt', 'masqué', 'inconnu', 'privado', 'oculto'],
	...['sconosciuto', 'desconhecido', 'gizli', 'zastrzeżony'],
];

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

/** Draws calls of all kinds between a company and the outside. */
export function callDrawer(random: () => number, company: Company): () => DrawnCall {
	const below = (limit: number) => Math.floor(random() * limit);
	const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T;
	const entryOf = <T>(table: Record<string, T>) => oneOf(Object.entries(table));
	const { extensions, lines } = company;
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

	const caller = (): [kind: string, order: Partial<CallOrder>] => {
		const kind = random();
		if (kind < 0.2) {
			const from = oneOf(WITHHELD);
			return [`withheld as "${from}"`, { from, caller_number: '' }];
		}
		if (kind < 0.3) {
			const from = oneOf(
				['900', '0500', '6470', '12345', '088'].filter((one) => !extensions.includes(one)),
			);
			return [`short number ${from}`, { from }];
		}
		const digits = number();
		const [spelling, spell] = entryOf(SPELLINGS);
		return [`number as ${spelling}`, { from: spell(digits), caller_number: digits }];
	};

	/** The possible courses of a call from outside, by the line that it calls. */
	const FATES: Array<() => [kind: string, order: Partial<CallOrder>]> = [
		() => ['answered', { to: oneOf(lines.slice(0, 3)), outcome: 'answered' }],
		() => [
			'answered, only losers recorded',
			{ to: lines[2] ?? '', outcome: 'answered', only_losers: true },
		],
		() => ['lost', { to: oneOf(lines.slice(0, 3)), outcome: lost() }],
		() => ['lost', { to: oneOf(lines.slice(0, 3)), outcome: lost() }],
		() => ['voicemail', { to: oneOf(lines.slice(0, 3)), outcome: 'voicemail' }],
		() => ['message', { to: lines.at(-1) ?? '', outcome: 'voicemail' }],
		() => [
			'picked up',
			{ to: lines[0] ?? '', outcome: 'answered', picked_up_by: colleague(extensions[0]) },
		],
		() => {
			const answered = oneOf(extensions.slice(0, 2));
			const to = lines[1] ?? '';
			return [
				'transferred',
				{
					to,
					outcome: 'answered',
					answered_by: answered,
					transferred_to: colleague(answered),
					then_seconds: 1 + below(200),
				},
			];
		},
		() => {
			const answered = oneOf(extensions.slice(0, 2));
			const to = lines[1] ?? '';
			return [
				'parked',
				{
					to,
					outcome: 'answered',
					answered_by: answered,
					retrieved_by: colleague(answered),
					then_seconds: 1 + below(200),
				},
			];
		},
		() => [
			'forwarded',
			{
				to: lines[0] ?? '',
				outcome: oneOf(['answered', 'no-answer', 'busy', 'cancelled']),
				forward_to: number(),
			},
		],
		() => ['machine', { to: lines[0] ?? '', taken_by: oneOf(['fax', 'conference']) }],
	];

	const incoming = (): DrawnCall => {
		const [who, from] = caller();
		const [fate, order] = oneOf(FATES)();
		return { kind: `incoming, ${who}, ${fate}`, order: { ...seconds(), ...order, ...from } };
	};
	const outgoing = (): DrawnCall => {
		const from = colleague();
		const outcome = random() < 0.6 ? 'answered' : lost();
		const order = { ...seconds(), from, outcome } as const;
		const digits = number();
		const kind = random();
		if (kind < 0.1)
			return { kind: 'outgoing, emergency', order: { ...order, to: oneOf(['112', '911']) } };
		if (kind < 0.2)
			return { kind: 'click-to-call', order: { ...order, to: digits, kind: 'click_to_call' } };
		const shown = random() < 0.5 ? { shown_number: lines[0] ?? '' } : {};
		if (kind < 0.35) {
			const to = oneOf(['*001', '*0117', '**5']);
			return {
				kind: `outgoing, speed dial ${to}`,
				order: { ...order, ...shown, to, reaches: digits },
			};
		}
		const [dialed, dial] = entryOf(DIALED);
		return {
			kind: `outgoing, ${dialed}`,
			order: { ...order, ...shown, to: dial(digits), reaches: digits },
		};
	};
	const internal = (): DrawnCall => {
		const from = colleague();
		const outcome = random() < 0.6 ? 'answered' : lost();
		return {
			kind: `internal, ${outcome}`,
			order: { ...seconds(), from, to: colleague(from), outcome },
		};
	};
	return () => {
		const kind = random();
		if (kind < 0.68) return incoming();
		return kind < 0.9 ? outgoing() : internal();
	};
}
