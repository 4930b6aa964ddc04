import { Type } from '@sinclair/typebox';
import type { Account } from '../model/account';
import type { Pbx } from '../model/pbx';
import { Refusal } from '../server/errors';

/** Path that names one thing. */
export const idParams = Type.Object({ id: Type.String() });

/** Throws 404 for something that is not there. */
export function missing(what: string, id: string): never {
	throw new Refusal(404, { id }, `there is no ${what} ${id}`);
}

/** Gives the account that is named, or the first one. Throws 404 when it does not exist. */
export function accountOr(pbx: Pbx, id: string | undefined): Account {
	const [first] = pbx.accounts.values();
	return (id === undefined ? first : pbx.accounts.get(id)) ?? missing('account', String(id));
}
