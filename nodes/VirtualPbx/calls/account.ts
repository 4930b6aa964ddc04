import type { CallSettings } from '../pbx/types';
import { DEFAULT_CALL_SETTINGS } from '../pbx/credential';

/** Everything else that is known of the account when one of its calls is read. */
export interface Account extends CallSettings {
	shown: ShownByCalls;
}

/** Facts that an account's calls show about each other. */
export interface ShownByCalls {
	/** Whether the account receives calls on a number. */
	receivesOn(number: string | undefined): boolean;
	/** Whether a call from outside has rung an extension or SIP user. */
	hasRung(user: string | undefined): boolean;
	/** Whether the legs of the account's own devices and users say so. */
	namesOwnCallers: boolean;
}

/** No other call is known. */
export const NOTHING_SHOWN: ShownByCalls = {
	receivesOn: () => false,
	hasRung: () => false,
	namesOwnCallers: false,
};

/** The account of a credential whose fields have their defaults. */
export const ANY_ACCOUNT: Account = { ...DEFAULT_CALL_SETTINGS, shown: NOTHING_SHOWN };
