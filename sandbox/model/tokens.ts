import type { Account } from './account';
import { newId } from './ids';

/** The tokens issued by logins, each valid until revoked (§5). */
export class Tokens {
	private readonly sessions = new Map<string, Account>();

	issue(account: Account): string {
		const token = newId() + newId();
		this.sessions.set(token, account);
		return token;
	}

	/** Returns the account of a token, or undefined if it is unknown or has ended. */
	check(token: string): Account | undefined {
		return this.sessions.get(token);
	}

	revoke(token: string): void {
		this.sessions.delete(token);
	}

	/** Ends every token, or those of one account. Returns how many. */
	expire(accountId?: string): number {
		let ended = 0;
		for (const [token, account] of this.sessions) {
			if (accountId !== undefined && account.id !== accountId) continue;
			this.sessions.delete(token);
			ended++;
		}
		return ended;
	}
}
