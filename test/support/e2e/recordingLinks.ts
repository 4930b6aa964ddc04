/** Creates signed links of examples/recording-link.json, and invalid ones. */
import { createHmac } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Credential, N8nClient, Workflow } from '../../../tools/n8n';
import { jsonOf } from '../../../tools/n8n';
import { CALL, callWorkflow, errorOf } from './chain';

/** The query parameters of a link. `expires` are Unix seconds. */
type LinkQuery = Record<'call' | 'at' | 'signature', string> & { expires: number | string };

/** Stores n8n's Crypto credential with a secret. */
export async function keyOf(n8n: N8nClient, hmacSecret: string): Promise<Credential> {
	return await n8n.createCredential('crypto', 'Recording links', { hmacSecret });
}

/** Signs a link as the example does. */
export function signatureOf(query: Omit<LinkQuery, 'signature'>, hmacSecret: string): string {
	const { call, at, expires } = query;
	return createHmac('sha256', hmacSecret).update([call, at, expires].join('\n')).digest('hex');
}

/** Calls the example from a workflow, as CRM workflows do. Returns the resulting items. */
export async function makeLinks(
	n8n: N8nClient,
	workflow: Workflow,
	calls: IDataObject[],
): Promise<IDataObject[]> {
	const execution = await callWorkflow(n8n, workflow, calls);
	expect(errorOf(execution)).toBeUndefined();
	return jsonOf(execution, CALL);
}

/** Reads the query of a link. */
export function readLink(link: unknown): LinkQuery {
	const {
		call = '',
		at = '',
		expires = '',
		signature = '',
	} = Object.fromEntries(new URL(String(link)).searchParams);
	return { call, at, expires, signature };
}

/** Derives tampered, incomplete, and expired queries from a valid one. */
export function wrongQueries(good: LinkQuery, hmacSecret: string): string[] {
	const queryOf = (query: Partial<LinkQuery>) =>
		new URLSearchParams(Object.entries({ ...good, ...query }).map(([k, v]) => [k, String(v)]));
	const signed = (query: Partial<LinkQuery>, secret = hmacSecret) => {
		const parts = { ...good, ...query };
		return queryOf({ ...parts, signature: signatureOf(parts, secret) });
	};
	const without = (name: keyof LinkQuery) => {
		const query = queryOf({});
		query.delete(name);
		return query;
	};
	const { call, at, expires, signature } = good;
	const expired = Math.floor(Date.now() / 1000) - 1;
	const flipped = (signature.startsWith('0') ? '1' : '0') + signature.slice(1);
	return [
		...[{ call: `0${call}` }, { at: at.replace(/^\d{4}/, '1000') }].map(queryOf),
		...[{ expires: Number(expires) + 1 }, { signature: flipped }].map(queryOf),
		...[{ signature: signature.slice(0, -1) }, { signature: '' }].map(queryOf),
		signed({}, `${hmacSecret}0`),
		...[expired, '', 'never', 'NaN', '-1', '0x0'].map((time) => signed({ expires: time })),
		...(['call', 'at', 'expires', 'signature'] as const).map(without),
		`${queryOf({ expires: expired }).toString()}&expires=${expires}&signature=${signature}`,
	].map(String);
}
