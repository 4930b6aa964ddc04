import type { Sandbox } from '../../sandbox';

/** The account of the sandbox, with a token. */
export function firstAccount({ pbx }: Sandbox): { id: string; token: string } {
	const account = pbx.firstAccount;
	return { id: account.id, token: pbx.tokens.issue(account) };
}
