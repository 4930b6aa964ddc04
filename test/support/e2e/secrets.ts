import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { MARK_NAME } from '../../../nodes/VirtualPbx/events/secret';
import type { Sandbox } from '../../../sandbox';
import { readSetup, ROOT } from '../../../tools/n8n';
import { SANDBOX_LOGIN } from '../../../tools/sandbox-client';

/** A secret that was found where it must not be. */
export interface Leak {
	/** Which kind of secret it is; never the secret itself. */
	kind: Kind;
	/** A file, or a table and column of n8n's database. */
	place: string;
	/** What stands around it, with the secret struck out. */
	around: string;
}

type Kind = 'password' | 'token' | 'webhook secret';
type Secrets = Map<string, Kind>;

/** n8n keeps the trigger's static data with the workflow: the secret of its webhooks is there by design. */
const ALLOWED: Array<{ kind: Kind; place: string }> = [
	{ kind: 'webhook secret', place: 'workflow_entity.staticData' },
];
/** The installed package and n8n's own key, which hold none of our secrets. */
const SKIPPED = new Set(['nodes', 'node_modules']);
const DATABASE = /^database\.sqlite/;

/** Notes every token and webhook secret that a sandbox gets to see, for {@link findLeaks}. */
export function noteSecrets({ pbx }: Sandbox): void {
	const file = process.env.SHARED_N8N_SECRETS;
	if (!file) return;
	const note = (kind: Kind, secret: string) => appendFileSync(file, `${kind}\t${secret}\n`);
	const issue = pbx.tokens.issue.bind(pbx.tokens);
	pbx.tokens.issue = (account) => {
		const token = issue(account);
		note('token', token);
		return token;
	};
	const push = pbx.requests.push.bind(pbx.requests);
	pbx.requests.push = (entry) => {
		const { data } = (entry.body ?? {}) as { data?: { custom_data?: Record<string, unknown> } };
		const secret = data?.custom_data?.[MARK_NAME];
		if (typeof secret === 'string') note('webhook secret', secret);
		push(entry);
	};
}

/** The secrets noted so far, and the sandbox's password. */
export function readSecrets(file: string): Secrets {
	const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
	const noted = lines.filter(Boolean).map((line) => line.split('\t') as [Kind, string]);
	return new Map([
		[SANDBOX_LOGIN.password, 'password'],
		...noted.map(([kind, secret]) => [secret, kind] as const),
	]);
}

/**
 * Looks for secrets in all that an n8n has stored and printed: its log, files, binary data, and every column of its
 * database. The database file is searched as a whole, too, deleted rows included.
 *
 * @param folder the user folder of an n8n that has been stopped
 */
export async function findLeaks(folder: string, secrets: Secrets): Promise<Leak[]> {
	const leaks: Leak[] = [];
	for (const file of await filesIn(folder)) {
		const name = path.relative(folder, file);
		const isDatabase = DATABASE.test(path.basename(file));
		const found = findIn(await readFile(file, 'latin1'), secrets, name);
		leaks.push(...found.filter(({ kind }) => !isDatabase || kind !== 'webhook secret'));
		if (path.basename(file) === 'database.sqlite') leaks.push(...(await inColumns(file, secrets)));
	}
	return notAllowed(leaks);
}

/** Looks for secrets in every column of a PostgreSQL database, as {@link findLeaks} does in SQLite. */
export async function findLeaksInPostgres(url: string, secrets: Secrets): Promise<Leak[]> {
	return notAllowed(await inColumns(url, secrets));
}

function notAllowed(leaks: Leak[]): Leak[] {
	return leaks.filter(
		(leak) => !ALLOWED.some(({ kind, place }) => leak.kind === kind && leak.place === place),
	);
}

/** Finds secrets in a text; gives each once. */
export function findIn(text: string, secrets: Secrets, place: string): Leak[] {
	return [...secrets].flatMap(([secret, kind]) => {
		const at = text.indexOf(secret);
		if (at < 0) return [];
		const around = text.slice(Math.max(0, at - 120), at + secret.length + 60);
		return [{ kind, place, around: around.replaceAll(secret, '***').replace(/[^ -~]+/g, ' ') }];
	});
}

async function filesIn(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { withFileTypes: true });
	const inner = entries.map(async (entry) => {
		const full = path.join(folder, entry.name);
		if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : await filesIn(full);
		return entry.isFile() ? [full] : [];
	});
	return (await Promise.all(inner)).flat();
}

/** Reads every column of every table with the Node that n8n runs on, which has SQLite built in, and n8n's driver. */
async function inColumns(database: string, secrets: Secrets): Promise<Leak[]> {
	const { node, n8n } = readSetup();
	const script = path.join(ROOT, 'test/support/e2e/read-database.mjs');
	const args = ['--no-warnings', script, database, n8n];
	const { stdout } = await promisify(execFile)(node, args, { maxBuffer: 2 ** 29 });
	const columns = stdout.split('\n').filter(Boolean);
	if (columns.length < 50) throw new Error(`n8n's database has only ${columns.length} columns`);
	return columns.flatMap((line) => {
		const [place = '', text = ''] = JSON.parse(line) as [string, string];
		return findIn(text, secrets, place);
	});
}
