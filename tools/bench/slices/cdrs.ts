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

const RECORDS = 100_000;
const MONTH_SECONDS = 31 * 24 * 60 * 60;
/** How often each n8n reads: its times differ more than those of several n8n's. */
const READS = 3;
/** The start of the time to read, in Gregorian seconds. */
const FROM = 'Math.floor(Date.now() / 1000) + 62167219200 - Number($json.query.seconds)';

/** Many call records in one go. */
export const cdrs: Slice = {
	name: 'cdrs',
	measure,
};

async function measure(): Promise<Claim[]> {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		await generate(sandbox);
		const run = (reader: Reader) => async () => await measureOne(sandbox, reader);
		const { raw, simplified, split, floor, renaming } = await inTurns(
			{
				raw: run(ourReader({ simplify: false })),
				simplified: run(ourReader({})),
				split: run(splitReader),
				floor: run(floorReader(false)),
				renaming: run(floorReader(true)),
			},
			{ rounds: 5, warmUps: 0 },
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

/** Gives the sandbox a month of records. */
async function generate({ url }: Sandbox): Promise<void> {
	const response = await fetch(`${url}/sandbox/cdrs/generate`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ count: RECORDS }),
	});
	if (!response.ok) throw new Error(await response.text());
}

/** Makes nodes that read the records of a PBX, and a last one that has their number as `count`. */
type Reader = (pbx: string, credential: Credential) => INode[];

const countItems = [
	node('One', 'limit', 1, { maxItems: 1 }),
	countNode("={{ $('Last').all().length }}"),
];

function ourReader(what: { simplify?: boolean }): Reader {
	const time = { returnAll: true, after: `={{ ${FROM} }}` };
	const parameters = { resource: 'cdr', operation: 'getMany', ...time, ...what };
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
async function measureOne(sandbox: Sandbox, reader: Reader): Promise<Spent> {
	const n8n = await startN8n({ env: { ...COLLECTING, ...WITH_FLOOR } });
	try {
		const client = await n8n.signIn();
		const nodes = reader(sandbox.url, await createCredential(client, sandbox.url));
		const url = await activate(client, [webhook('lastNode'), ...nodes], UNSAVED);
		const first = await fetch(`${url}?seconds=600`);
		if (!first.ok) throw new Error(`${url} answered ${first.status}: ${await first.text()}`);
		const reads: Spent[] = [];
		while (reads.length < READS)
			reads.push(await spentBy(n8n, `${url}?seconds=${MONTH_SECONDS}`, RECORDS));
		return { ms: median(reads.map(({ ms }) => ms)), peakMb: reads[0]?.peakMb ?? NaN };
	} finally {
		await n8n.dispose();
	}
}
