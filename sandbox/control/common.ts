import { Type } from '@sinclair/typebox';
import type { Account } from '../model/account';
import type { Pbx } from '../model/pbx';
import { ApiError } from '../server/errors';

/** Path parameters of one item. */
export const idParams = Type.Object({ id: Type.String() });

/** Throws 404 for an item that doesn't exist. */
export function missing(what: string, id: string): never {
	throw new ApiError(404, { id }, `there is no ${what} ${id}`);
}

/** Returns the named account, or the first one if none is named. Throws 404 if it doesn't exist. */
export function accountOr(pbx: Pbx, id: string | undefined): Account {
	const [first] = pbx.accounts.values();
	return (id === undefined ? first : pbx.accounts.get(id)) ?? missing('account', String(id));
}
