import type { PhoneChoice } from '../pbx/employees';
import { asText, isObject } from '../util/json';
import { withoutPunctuation } from '../util/party';
import type { Place } from './parameter';
import { Parameter, parameterError } from './parameter';

/** E.164 has 15 digits at most. Without a plus sign, a prefix such as `011` can come before. */
const MOST_DIGITS = { international: 15, dialed: 18 };

/** Reads a number to call. Throws NodeOperationError for a feature code, letters, and anything else that isn't one. */
export function readDialed(value: unknown, label: string, place: Place): string {
	const text = asText(value)?.trim() ?? '';
	const number = withoutPunctuation(text.replace(/^tel:/i, ''));
	const digits = number.replace(/^\+/, '');
	const most = number.startsWith('+') ? MOST_DIGITS.international : MOST_DIGITS.dialed;
	const fault =
		text === ''
			? 'is empty'
			: /[*#]/.test(text)
				? "can't contain * or #, which are parts of feature codes"
				: /^\d+$/.test(digits)
					? digits.length > most && `has ${digits.length} digits, more than ${most}`
					: "isn't a phone number";
	if (!fault) return number;
	throw parameterError(
		place,
		`'${label}' ${fault}`,
		'Enter a phone number or an extension, such as +1 212 555 0123. If you use an expression, check what it returns for this item.',
	);
}

/** Whose phone to ring. */
export const employee = new Parameter<PhoneChoice>(
	{
		displayName: 'Employee',
		name: 'employee',
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description: 'Whose phone rings first',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod: 'searchEmployees', searchable: true },
			},
			{
				displayName: 'By Extension',
				name: 'extension',
				type: 'string',
				placeholder: 'e.g. 101',
			},
			{
				displayName: 'By Device ID',
				name: 'device',
				type: 'string',
				placeholder: 'e.g. 9f4c0b7e5d2a4c1b8e6f3a0d7c5b2e19',
			},
		],
	},
	(value, place) => {
		const { mode, value: chosen } = isObject(value) ? value : { mode: 'extension', value };
		const text = asText(chosen)?.trim() ?? '';
		if (text === '')
			throw parameterError(
				place,
				"'Employee' is empty",
				'Choose one from the list, or enter an extension or a device ID. If you use an expression, check what it returns for this item.',
			);
		if (mode === 'list') {
			const [, kind = 'users', id = text] = /^(users|devices)\/(.+)$/.exec(text) ?? [];
			return kind === 'users' ? { userId: id } : { deviceId: id };
		}
		if (mode === 'device') return { deviceId: text };
		if (/^\d{1,10}$/.test(text)) return { extension: text };
		throw parameterError(
			place,
			`'Employee' must be an extension of up to 10 digits, not "${text.slice(0, 40)}"`,
			'Enter an extension such as 101, without spaces, letters, * or #.',
		);
	},
);
