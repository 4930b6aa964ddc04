import type { CallSettings } from '../pbx/types';
import type { End } from '../util/party';
import { isWithheldWord } from '../util/withheld';

/**
 * The kind of an end of a call, by its form alone. `outside`: a number longer than an extension. `user`: a SIP user name.
 * `code`: a feature code or speed dial, such as `*001`. `other`: any other text.
 */
export type EndKind = 'withheld' | 'outside' | 'extension' | 'user' | 'code' | 'other';

/** One end of a call, read with what the credential says about the account. */
export interface CallEnd extends End {
	kind: EndKind;
	/** The extension or SIP user name, if it looks like one. */
	user?: string | undefined;
	/** Whether its host is the account's realm (`own`), or surely not (`foreign`). Undefined for an IP address. */
	realm?: 'own' | 'foreign' | undefined;
}

/** Classifies an end of a call by its form. The codes in front of a dialed number, such as `*67`, are cut. */
export function callEnd<E extends End | undefined>(
	end: E,
	settings: CallSettings,
): E extends undefined ? CallEnd | undefined : CallEnd;
export function callEnd(end: End | undefined, settings: CallSettings): CallEnd | undefined {
	if (end === undefined) return undefined;
	const realm = realmOf(end, settings);
	if (end.number === undefined) return { ...end, kind: 'withheld', realm };
	const number = withoutCode(end.number);
	const [min, max] = settings.extensionDigits;
	const user = /^user_(\d{2,})(?:_\d+)?$/.exec(number)?.[1] ?? number;
	const isExtension = /^\d+$/.test(user) && user.length >= min && user.length <= max;
	if (isExtension) return { ...end, number, kind: 'extension', user, realm };
	if (/^\+?[\d\s().-]+$/.test(number)) return { ...end, number, kind: 'outside', realm };
	if (/^[*#]/.test(number)) return { ...end, number, kind: 'code', realm };
	if (/\p{L}/u.test(number) && !/\s/.test(number) && !isWithheldWord(number))
		return { ...end, number, kind: 'user', user, realm };
	return { ...end, number, kind: 'other', realm };
}

/** Codes in front of a number, which hide it or choose a line: `*67` and two digits alike, `#31#`, `*31#`. */
const CODES = /^(?:[*#]+\d{1,3}[*#]|\*\d\d)(\+?\d{7,})#*$/;

function withoutCode(number: string): string {
	if (!/[*#]/.test(number)) return number;
	return CODES.exec(number)?.[1] ?? /^(\+?\d{2,})#+$/.exec(number)?.[1] ?? number;
}

function realmOf({ host }: End, { realm }: CallSettings): CallEnd['realm'] {
	if (host === undefined || !realm.includes('.')) return undefined;
	if (host === realm || host.endsWith(`.${realm}`)) return 'own';
	const isAddress = /^(?:[\d.]+|\[.*\]|[^.]+)$/.test(host);
	return isAddress || realm.endsWith(`.${host}`) ? undefined : 'foreign';
}
