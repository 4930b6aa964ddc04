import type { INode } from 'n8n-workflow';
import { startSandbox } from '../../../sandbox';
import type { Sandbox } from '../../../sandbox';
import { withCleanups } from '../../cleanups';
import { startN8n } from '../../n8n';
import type { Credential } from '../../n8n';
import {
	activate,
	countNode,
	createCredential,
	FLOOR,
	floorReads,
	httpRequest,
	node,
	ourNode,
	UNSAVED,
	webhook,
	WITH_FLOOR,
} from '../flow';
import { compare, inTurns, median } from '../measure';
import type { Aim, Claim, Slice } from '../measure';
import { COLLECTING, spentBy } from '../memory';
import type { Spent } from '../memory';

const MONTH_SECONDS = 31 * 24 * 60 * 60;
/** How often each n8n reads: its times differ more than those of several n8n's. */
const READS = 3;
/** The start of the time to read, in Gregorian seconds. */
const FROM = 'Math.floor(Date.now() / 1000) + 62167219200 - Number($json.query.seconds)';

/** Many call records in one go. */
export const cdrs: Slice = {
	name: 'cdrs',
	title: 'Call records: 100,000 in one Get Many',
	advice:
		'If you read tens of thousands of call records at once, use Get Many, which takes about as long as HTTP Request with Split Out in about 60 % of the memory, and turn _Simplify_ off where every second counts.',
	method:
		"Each reader runs in an n8n of its own. Memory is the peak above rest. The floor is a node that asks by n8n's own helper and gives an item for each record; simplified, it writes the same fields, as a Code node would for records of the usual form.",
	measure,
};

async function measure(full: boolean): Promise<Claim[]> {
	return await withRecords(full ? 100_000 : 500, async (run) => {
		const { raw, simplified, split, floor, renaming } = await inTurns(
			{
				raw: run(ourReader({ ...records, simplify: false })),
				simplified: run(ourReader(records)),
				split: run(splitReader),
				floor: run(floorReader(false)),
				renaming: run(floorReader(true)),
			},
			{ rounds: full ? 5 : 1, warmUps: 0 },
		);
		const figures = (name: string, time?: Aim, memory?: Aim) =>
			[
				[`${name}: time`, 'ms', 'ms', time],
				[`${name}: peak memory`, 'MiB', 'peakMb', memory],
			] as const;
		const aims = [{ atMost: 1 }, { atMost: 0.6 }] as const;
		return [
			...compare('HTTP Request + Split Out', raw, split, figures('raw')),
			...compare(FLOOR.helper, raw, floor, figures('raw', ...aims)),
			...compare('HTTP Request + Split Out', simplified, split, figures('simplified')),
			...compare(FLOOR.renaming, simplified, renaming, figures('simplified', ...aims)),
		];
	});
}

/** The same records, joined to calls. */
export const calls: Slice = {
	name: 'calls',
	title: 'Calls: 100,000 records in one Get Many Calls',
	advice:
		'If you want calls, use Get Many Calls instead of Get Many and a Code node: joining the legs costs little time and no memory.',
	method:
		'Get Many Calls makes 50,000 calls of the records that Get Many reads, both with Simplify on. Each runs in an n8n of its own. Memory is the peak above rest.',
	measure: measureCalls,
};

async function measureCalls(full: boolean): Promise<Claim[]> {
	return await withRecords(full ? 100_000 : 500, async (run, count) => {
		const { joined, separate } = await inTurns(
			{
				joined: run(ourReader({ operation: 'getManyCalls' }), count / 2),
				separate: run(ourReader(records)),
			},
			{ rounds: full ? 5 : 1, warmUps: 0 },
		);
		return compare('Get Many', joined, separate, [
			['time', 'ms', 'ms', { atMost: 1.3 }],
			['peak memory', 'MiB', 'peakMb', { atMost: 1 }],
		]);
	});
}

/** Runs a reader in an n8n of its own, and expects so many items of it: by default one per record. */
type Run = (reader: Reader, items?: number) => () => Promise<Spent>;

/** Starts a sandbox PBX with a month of records. */
async function withRecords(
	count: number,
	work: (run: Run, count: number) => Promise<Claim[]>,
): Promise<Claim[]> {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const response = await fetch(`${sandbox.url}/sandbox/cdrs/generate`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ count }),
		});
		if (!response.ok) throw new Error(await response.text());
		const run: Run = (reader, items = count) => {
			return async () => await measureOne(sandbox, reader, items);
		};
		return await work(run, count);
	});
}

/** Makes nodes that read the records of a PBX, and a last one that has their number as `count`. */
type Reader = (pbx: string, credential: Credential) => INode[];

const countItems = [
	node('One', 'limit', 1, { maxItems: 1 }),
	countNode("={{ $('Last').all().length }}"),
];

const records = { operation: 'getMany' };

function ourReader(what: { operation: string; simplify?: boolean }): Reader {
	const parameters = { resource: 'cdr', returnAll: true, ...what, after: `={{ ${FROM} }}` };
	return (_, credential) => [ourNode(parameters, credential), node('Last', 'noOp'), ...countItems];
}

const urlOf = (pbx: string) =>
	`=${pbx}/v1/pbx/accounts/{account_id}/cdrs?created_from={{ ${FROM} }}`;
const floorReader =
	(simplify: boolean): Reader =>
	(pbx, credential) => [
		floorReads(urlOf(pbx), credential, simplify),
		node('Last', 'noOp'),
		...countItems,
	];
const splitReader: Reader = (pbx, credential) => [
	httpRequest(urlOf(pbx), credential),
	node('Last', 'splitOut', 1, { fieldToSplitOut: 'data', options: {} }),
	...countItems,
];

/** Reads a month of records in an n8n that has read once before; the median of some reads. Throws when not as many items come. */
async function measureOne(sandbox: Sandbox, reader: Reader, items: number): Promise<Spent> {
	const n8n = await startN8n({ env: { ...COLLECTING, ...WITH_FLOOR } });
	try {
		const client = await n8n.signIn();
		const nodes = reader(sandbox.url, await createCredential(client, sandbox.url));
		const url = await activate(client, [webhook('lastNode'), ...nodes], UNSAVED);
		await (await fetch(`${url}?seconds=600`)).text();
		const reads: Spent[] = [];
		while (reads.length < READS)
			reads.push(await spentBy(n8n, `${url}?seconds=${MONTH_SECONDS}`, items));
		return { ms: median(reads.map(({ ms }) => ms)), peakMb: reads[0]?.peakMb ?? NaN };
	} finally {
		await n8n.dispose();
	}
}
