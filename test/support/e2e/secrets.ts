import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { TAG_NAME } from '../../../nodes/VirtualPbx/pbx/events/delivery';
import type { Sandbox } from '../../../sandbox';
import { queryRows, sql } from '../../../tools/n8n';
import type { Cluster } from '../../../tools/n8n';
import { SANDBOX_LOGIN } from '../../../tools/sandbox-client';

type Kind = 'password' | 'login as MD5' | 'login as Basic' | 'token' | 'webhook secret';
type Secrets = Map<string, Kind>;

/** The installed package and n8n's own key, which hold none of the tests' secrets. */
const SKIPPED = /(^|[\\/])(nodes|node_modules)[\\/]/;
const TABLES = {
	sqlite: "SELECT name FROM sqlite_master WHERE type = 'table'",
	postgres: "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
};

/**
 * In queue mode, n8n marks an unsaved execution as deleted, and deletes it with its next pruning, within 15 minutes.
 */
const KEPT =
	'WHERE "executionId" NOT IN (SELECT id FROM execution_entity WHERE "deletedAt" IS NOT NULL)';

/** Records a secret for {@link expectNoLeaks}. */
export function noteSecret(kind: Kind, secret: string): void {
	const file = process.env.SHARED_N8N_SECRETS;
	if (file) appendFileSync(file, `${kind}\t${secret}\n`);
}

/** Records a password, and the forms in which a login sends it. */
export function noteLogin({ login, password }: { login: string; password: string }): void {
	noteSecret('password', password);
	for (const [kind, secret] of formsOf(login, password)) noteSecret(kind, secret);
}

function formsOf(login: string, password: string): Array<[Kind, string]> {
	const pair = `${login}:${password}`;
	return [
		['login as MD5', createHash('md5').update(pair).digest('hex')],
		['login as Basic', Buffer.from(pair).toString('base64').replace(/=+$/, '')],
	];
}

/** Records every token and webhook secret that a sandbox sees, for {@link expectNoLeaks}. */
export function noteSecrets({ pbx }: Sandbox): void {
	const note = noteSecret;
	const issue = pbx.tokens.issue.bind(pbx.tokens);
	pbx.tokens.issue = (account) => {
		const token = issue(account);
		note('token', token);
		return token;
	};
	const push = pbx.requests.push.bind(pbx.requests);
	pbx.requests.push = (entry) => {
		const { data } = (entry.body ?? {}) as { data?: { custom_data?: Record<string, unknown> } };
		const secret = data?.custom_data?.[TAG_NAME];
		if (typeof secret === 'string') note('webhook secret', secret);
		push(entry);
	};
}

/**
 * Stops an n8n instance and searches everything it stored and printed for secrets. Throws with each
 * place that has one.
 */
export async function expectNoLeaks({ main, webhooks, workers, database }: Cluster): Promise<void> {
	const processes = [main, ...webhooks, ...workers];
	await Promise.all(processes.map(async (one) => await one.stop()));
	const secrets = readSecrets(process.env.SHARED_N8N_SECRETS ?? '');
	const folders = processes.map(async ({ place }) => await findLeaks(place.userFolder, secrets));
	// Searches the folders first, since querying the database creates temporary files next to it.
	const leaks = (await Promise.all(folders)).flat();
	leaks.push(...(await findLeaksInDatabase(database, secrets)));
	if (leaks.length > 0)
		throw new Error(`Secrets were found where they must not be:\n${leaks.slice(0, 40).join('\n')}`);
	console.log(`None of ${secrets.size} secrets found in what n8n stored and printed`);
}

/** Reads the secrets recorded so far, plus the sandbox's password. */
function readSecrets(file: string): Secrets {
	const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
	const noted = lines.filter(Boolean).map((line) => line.split('\t') as [Kind, string]);
	const { login, password } = SANDBOX_LOGIN;
	const all = [['password', password] as const, ...formsOf(login, password), ...noted];
	return new Map(all.map(([kind, secret]) => [secret, kind]));
}

/**
 * Searches the folder of a stopped n8n instance for secrets: its log, files, binary data, and the raw
 * database file, deleted rows included.
 */
async function findLeaks(folder: string, secrets: Secrets): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
		.filter((file) => !SKIPPED.test(file));
	const leaks = files.map(async (file) =>
		findIn(await readFile(path.join(folder, file), 'latin1'), secrets, file),
	);
	return (await Promise.all(leaks)).flat();
}

/** Searches every column of every table of n8n's database for secrets. */
async function findLeaksInDatabase(database: string, secrets: Secrets): Promise<string[]> {
	const listing = database.startsWith('postgres') ? TABLES.postgres : TABLES.sqlite;
	const tables = (await sql(database, listing)).map(({ name }) => String(name));
	if (tables.length < 20) throw new Error(`n8n's database has only ${tables.length} tables`);
	const leaks: string[] = [];
	const statements = tables.map(
		(table) => `SELECT * FROM "${table}" ${table === 'execution_data' ? KEPT : ''}`,
	);
	for await (const [table, row] of queryRows(database, statements))
		for (const [column, value] of Object.entries(row)) {
			const text = typeof value === 'string' ? value : JSON.stringify(value);
			leaks.push(...findIn(text, secrets, `${tables[table]}.${column}`));
		}
	return leaks;
}

/** Names each kind of secret in a text, with its place and the text around it, in which it is blanked. */
function findIn(text: string, secrets: Secrets, place: string): string[] {
	return [...secrets].flatMap(([secret, kind]) => {
		const at = text.indexOf(secret);
		if (at < 0) return [];
		const around = text.slice(Math.max(0, at - 120), at + secret.length + 60);
		const shown = around.replaceAll(secret, '***').replace(/[^ -~]+/g, ' ');
		return [`  ${kind} in ${place}: …${shown}…`];
	});
}
