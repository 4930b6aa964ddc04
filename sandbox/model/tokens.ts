import type { Account } from './account';
import { newId } from './ids';

/** The tokens issued by logins, each valid until revoked (§5). */
export class Tokens {
	/** The IDs of accounts, which a reset renews. */
	private readonly sessions = new Map<string, string>();

	issue(account: Account): string {
		const token = newId() + newId();
		this.sessions.set(token, account.id);
		return token;
	}

	/** Returns the ID of a token's account, or undefined if it is unknown or has ended. */
	check(token: string): string | undefined {
		return this.sessions.get(token);
	}

	/** Ends every token. Returns how many. */
	expire(): number {
		const { size } = this.sessions;
		this.sessions.clear();
		return size;
	}
}
