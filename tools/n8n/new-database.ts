import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { n8nEnvironment } from './environment';
import { madeOnce } from './made-once';
import { readSetup, ROOT } from './setup-result';

const run = promisify(execFile);
const DATABASE = ['database.sqlite', 'database.sqlite-wal'];

/**
 * Puts a new n8n's empty database into its folder: n8n makes one in some 250 steps, which take half of its first start.
 * It holds nothing of another n8n's own, such as its key or its owner.
 *
 * @param userFolder a folder that no n8n has run in
 */
export async function putNewDatabase(userFolder: string): Promise<void> {
	const made = await newDatabase();
	const home = path.join(userFolder, '.n8n');
	await mkdir(home, { recursive: true });
	for (const name of DATABASE)
		if (existsSync(path.join(made, name))) await cp(path.join(made, name), path.join(home, name));
}

/** Lets n8n make a database, once for each version. Returns its folder. */
async function newDatabase(): Promise<string> {
	const { node, n8n } = readSetup();
	const { version } = JSON.parse(
		readFileSync(path.join(path.dirname(n8n), '../package.json'), 'utf8'),
	) as { version: string };
	const folder = path.join(ROOT, '.n8n', `database-${version}`);
	const make = async (userFolder: string) => {
		const place = { role: 'main', port: 0, brokerPort: 0, webhookUrl: '' } as const;
		const env = n8nEnvironment({ ...place, userFolder });
		// A command that needs the database and does nothing to it.
		await run(node, [n8n, 'list:workflow'], { cwd: userFolder, env });
	};
	return await madeOnce(folder, make, (userFolder) => path.join(userFolder, '.n8n'));
}
