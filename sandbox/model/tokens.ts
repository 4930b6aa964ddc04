import type { Account } from './account';
import { newId } from './ids';

interface Session {
	account: Account;
	since: number;
}

/** The tokens given out by logins, each good for a time (§5). */
export class Tokens {
	private readonly sessions = new Map<string, Session>();

	/** Gives a new token for an account. */
	issue(account: Account): string {
		const token = newId() + newId();
		this.sessions.set(token, { account, since: Date.now() });
		return token;
	}

	/** Gives the account of a token, or nothing when it is unknown or older than `lifetimeSeconds`. */
	check(token: string, lifetimeSeconds: number): Account | undefined {
		const session = this.sessions.get(token);
		if (!session) return undefined;
		if (Date.now() - session.since < lifetimeSeconds * 1000) return session.account;
		this.sessions.delete(token);
		return undefined;
	}

	/** Ends one token. */
	revoke(token: string): void {
		this.sessions.delete(token);
	}

	/** Ends every token, or those of one account; gives how many. */
	expire(accountId?: string): number {
		let ended = 0;
		for (const [token, { account }] of this.sessions) {
			if (accountId !== undefined && account.id !== accountId) continue;
			this.sessions.delete(token);
			ended++;
		}
		return ended;
	}
}
