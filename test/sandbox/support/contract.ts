import { startSandbox, type Sandbox } from '../../../sandbox';
import { SANDBOX_LOGIN } from '../../../tools/sandbox-client';
import { unless } from '../../support/unless';
import { sender, type Answer, type Send } from './http';

const { PBX_URL, PBX_LOGIN, PBX_PASSWORD, PBX_REALM, PBX_PLATFORM = 'pbx' } = process.env;

/** Whether the suite looks at another PBX (PBX_URL): only read-only rows run then. */
const isRemote = PBX_URL !== undefined;

/** A PBX under test: a fresh sandbox, or the one that PBX_URL names. */
export interface Subject {
	/** Sends with a valid token; paths start after `/v1/<platform>`. */
	send: Send;
	/** Sends without a token. */
	bare: Send;
	/** Sends to the control side of the sandbox. */
	control: Send;
	/** Sends with a valid token below the account of the login. */
	own: Send;
	/** Path of the account of the login. */
	account: string;
	accountId: string;
	login: Answer;
	credentials: { login: string; password: string; realm: string };
	close(): Promise<void>;
}

/** Opens the PBX under test and logs in. */
async function openSubject(): Promise<Subject> {
	const sandbox: Sandbox | undefined = isRemote ? undefined : await startSandbox();
	const root = PBX_URL ?? sandbox?.url ?? '';
	const base = `${root}/v1/${PBX_PLATFORM}`;
	const credentials = sandbox
		? SANDBOX_LOGIN
		: { login: PBX_LOGIN ?? '', password: PBX_PASSWORD ?? '', realm: PBX_REALM ?? '' };
	const bare = sender(base);
	const login = await bare('PUT', '/user_auth', { data: credentials });
	const { auth_token: token, account_id: accountId } = login.body.data as Record<string, string>;
	return {
		send: sender(base, { 'x-auth-token': String(token) }),
		own: sender(`${base}/accounts/${accountId}`, { 'x-auth-token': String(token) }),
		bare,
		control: sender(`${root}/sandbox`),
		account: `/accounts/${accountId}`,
		accountId: String(accountId),
		login,
		credentials,
		close: async () => await sandbox?.close(),
	};
}

/** Opens the PBX under test for a file of tests, and closes it after them. */
export function useSubject(): Subject {
	const subject = {} as Subject;
	beforeAll(async () => void Object.assign(subject, await openSubject()));
	afterAll(async () => await subject.close());
	return subject;
}

/** A row of the contract that only reads: it runs against any PBX. */
export const readOnly = test;

/** A row of the contract that changes something: it runs against the sandbox only. */
export const changing = unless(
	isRemote ? 'rows that change something, since PBX_URL names a real PBX' : undefined,
	test,
);

/** The items of a list. */
export const itemsOf = ({ body }: Answer): Array<Record<string, unknown>> =>
	body.data as Array<Record<string, unknown>>;

/** The single thing of an answer. */
export const itemOf = ({ body }: Answer): Record<string, unknown> =>
	body.data as Record<string, unknown>;
