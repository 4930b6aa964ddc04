import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { startN8n } from '../n8n';
import type { Credential, WorkflowFile } from '../n8n';
import { SANDBOX_LOGIN } from '../sandbox-client';
import { firstAccount } from './account';
import {
	answeringWebhook,
	httpRequestNode,
	inARow,
	noOperation,
	numberNode,
	withCredential,
} from './flow';
import type { Part } from './flow';
import { COLLECTING, spentBy } from './memory';
import type { Spent } from './memory';
import { inTurns } from './measure';
import { readRaw } from './raw';
import { FLOOR_FOLDER } from './routing/flows';

const SECONDS_FROM_YEAR_0 = 62_167_219_200;
const MONTH_MINUTES = 31 * 24 * 60;

/**
 * Who reads the records: our node, n8n's, or one that does nothing but ask by n8n's helper and give an item per record;
 * `httpRequestSplit` has Split Out behind it, which gives one item each.
 */
type Kind = 'raw' | 'simplified' | 'httpRequest' | 'httpRequestSplit' | 'floor';
/** Those, and plain undici with `JSON.parse`, of which only the time counts. */
export type CdrReader = Kind | 'undici';

/**
 * Reads a month of call records in one go, each reader in an n8n of its own that has run once before and collected
 * its garbage. Time is that of the whole run. Linux only.
 *
 * @param records how many the month has
 * @throws when a run does not give every record
 */
export async function measureCdrs<K extends CdrReader>(
	records: number,
	readers: readonly K[],
	rounds: number,
): Promise<Record<K, Spent[]>> {
	const sandbox = await startSandbox();
	try {
		const response = await fetch(`${sandbox.url}/sandbox/cdrs/generate`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ count: records }),
		});
		if (!response.ok) throw new Error(await response.text());
		const rivals = readers.map((reader) => {
			const kind: CdrReader = reader;
			const run = async () =>
				kind === 'undici'
					? await measureRaw(sandbox, records)
					: await measureOne(sandbox, kind, records);
			return [reader, run] as const;
		});
		const runs = Object.fromEntries(rivals) as Record<K, () => Promise<Spent>>;
		return await inTurns(runs, { rounds, warmUps: 0 });
	} finally {
		await sandbox.close();
	}
}

async function measureRaw(sandbox: Sandbox, records: number): Promise<Spent> {
	const { id, token } = firstAccount(sandbox);
	const from = monthStart(MONTH_MINUTES);
	const url = `${sandbox.url}/v1/pbx/accounts/${id}/cdrs?created_from=${from}`;
	const { ms, count } = await readRaw({ url, token });
	if (count !== records) throw new Error(`undici gave ${count} records`);
	return { ms, peakMb: NaN };
}

const monthStart = (minutes: number) =>
	Math.floor(Date.now() / 1000) + SECONDS_FROM_YEAR_0 - minutes * 60;

async function measureOne(sandbox: Sandbox, kind: Kind, records: number): Promise<Spent> {
	const n8n = await startN8n({ env: { ...COLLECTING, N8N_CUSTOM_EXTENSIONS: FLOOR_FOLDER } });
	try {
		const client = await n8n.signIn();
		const account = { baseUrl: sandbox.url, ...SANDBOX_LOGIN };
		const credential = await client.createCredential('virtualPbxApi', 'PBX', account);
		const made = { kind, credential, sandbox };
		const wholePath = randomUUID();
		const warmPath = randomUUID();
		const whole = workflowWith({ ...made, hook: wholePath, minutes: MONTH_MINUTES });
		const warm = workflowWith({ ...made, hook: warmPath, minutes: 10 });
		for (const file of [warm, whole]) {
			const { id } = await client.createWorkflow(file);
			await client.activate(id);
		}
		await call(n8n.url, warmPath);
		return await spentBy(n8n.pid ?? 0, async () => {
			const { count } = await call(n8n.url, wholePath);
			if (count !== records) throw new Error(`${kind} gave ${String(count)} records`);
		});
	} finally {
		await n8n.dispose();
	}
}

async function call(url: string, path: string): Promise<IDataObject> {
	const response = await fetch(`${url}/webhook/${path}`);
	if (!response.ok) throw new Error(await response.text());
	return (await response.json()) as IDataObject;
}

/** What a workflow of the benchmark is made for. */
interface Made {
	hook: string;
	kind: Kind;
	credential: Credential;
	sandbox: Sandbox;
	/** How far back it reads. */
	minutes: number;
}

/** The node that reads the records from a time on, in Gregorian seconds. */
function readerOf({ kind, sandbox, credential, minutes }: Made): Part {
	const from = monthStart(minutes);
	const addressOf = (account: string) =>
		`${sandbox.url}/v1/pbx/accounts/${account}/cdrs?created_from=${from}`;
	if (kind === 'floor') {
		const { id, token } = firstAccount(sandbox);
		const parameters = { url: addressOf(id), token };
		return { name: 'Get', type: 'CUSTOM.benchRecords', parameters };
	}
	if (kind === 'raw' || kind === 'simplified') {
		const ours: Part = {
			name: 'Get',
			type: 'n8n-nodes-virtual-pbx.virtualPbx',
			parameters: {
				resource: 'cdr',
				operation: 'getMany',
				returnAll: true,
				after: from,
				simplify: kind === 'simplified',
			},
		};
		return withCredential(ours, credential);
	}
	return httpRequestNode(addressOf('{account_id}'), credential);
}

const splitOut: Part = {
	name: 'Last',
	type: 'n8n-nodes-base.splitOut',
	parameters: { fieldToSplitOut: 'data', options: {} },
};

function workflowWith(made: Made): WorkflowFile {
	const { hook, kind } = made;
	const value =
		kind === 'httpRequest' ? '={{ $json.data.length }}' : "={{ $('Last').all().length }}";
	const parts: Part[] = [
		answeringWebhook(hook),
		readerOf(made),
		kind === 'httpRequestSplit' ? splitOut : { ...noOperation, name: 'Last' },
		{ name: 'One', type: 'n8n-nodes-base.limit', parameters: { maxItems: 1 } },
		numberNode('count', value),
	];
	return inARow(`Benchmark: ${kind}`, parts, { saveDataSuccessExecution: 'none' });
}
