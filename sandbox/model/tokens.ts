import type { Account } from './account';
import { newId } from './ids';

/** Tokens that can be good at once; the oldest ends first. */
const SESSIONS_KEPT = 10_000;

interface Session {
	account: Account;
	since: number;
}

/** The tokens given out by logins, each good for a time (§5). */
export class Tokens {
	private readonly sessions = new Map<string, Session>();

	/** Gives a new token for an account; the oldest end so that at most `most` stay (0: any number). */
	issue(account: Account, most = 0): string {
		const token = newId() + newId();
		this.sessions.set(token, { account, since: Date.now() });
		if (most > 0) this.endOldest(this.tokensOf(account), most);
		if (this.sessions.size > SESSIONS_KEPT)
			this.endOldest([...this.sessions.keys()], SESSIONS_KEPT);
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

	private tokensOf(account: Account): string[] {
		return [...this.sessions]
			.filter(([, session]) => session.account === account)
			.map(([id]) => id);
	}

	private endOldest(tokens: string[], most: number): void {
		for (const token of tokens.slice(0, Math.max(0, tokens.length - most))) this.revoke(token);
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
