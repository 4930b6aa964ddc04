import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import ts from 'typescript';

import { createClient } from '../../nodes/VirtualPbx/pbx/client';
import { startSandbox, type Sandbox } from '../../sandbox';
import { SandboxClient } from '../../tools/sandbox-client';

const PAGE = 'docs/internals/architecture.md';
const GIVEN = { Readable, createClient };
const RESULTS = ['names', 'seconds', 'missing'];

/** Runs the lines of the page with the login data of an account, and returns what they make. */
async function runLines(login: Record<string, string>): Promise<Record<string, unknown>> {
	const [, lines = ''] = /```ts\n([^]*?)```/.exec(readFileSync(PAGE, 'utf8')) ?? [];
	const { outputText } = ts.transpileModule(`${lines}return { ${RESULTS.join(', ')} };`, {
		compilerOptions: { target: ts.ScriptTarget.ES2022 },
	});
	const scope = { ...GIVEN, ...login };
	const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
	const run = AsyncFunction(...Object.keys(scope), outputText);
	return (await run(...Object.values(scope))) as Record<string, unknown>;
}

describe('the lines of the page on the client', () => {
	let sandbox: Sandbox;
	beforeAll(async () => void (sandbox = await startSandbox()));
	afterAll(async () => await sandbox.close());

	test('log in, list the callflows, stream the call records, and get an error with what to do, without n8n', async () => {
		const records = [{ BILLING_SECONDS: '60' }, { BILLING_SECONDS: '15' }];
		await new SandboxClient(sandbox.url).addRecords(records);
		const { login, password, realm } = sandbox.pbx.firstAccount.identity;
		const made = await runLines({ baseUrl: sandbox.url, login, password, realm });
		const all = sandbox.pbx.firstAccount.callflows.all();
		expect(made.names).toEqual(all.map(({ name }) => name));
		expect(made.seconds).toBe(75);
		expect(made.missing).toMatchObject({
			message: "Callflow none wasn't found",
			kind: 'status',
			status: 404,
			retryable: false,
			hint: expect.stringContaining('Check the ID'),
		});
	});
});
