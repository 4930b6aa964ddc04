import type { INode } from 'n8n-workflow';
import { startSandbox } from '../../../../sandbox';
import { withCleanups } from '../../../cleanups';
import { startN8n } from '../../../n8n';
import type { Credential } from '../../../n8n';
import { SandboxClient } from '../../../sandbox-client';
import {
	activate,
	countNode,
	createCredential,
	httpRequest,
	node,
	ourNode,
	UNSAVED,
	webhook,
} from '../flow';
import { compare, alternate, median } from '../measure';
import type { Claim } from '../measure';
import { COLLECTING, spentBy } from '../memory';
import type { Spent } from '../memory';

const RECORDS = 100_000;
const MONTH_SECONDS = 31 * 24 * 60 * 60;
/** Reads per n8n process. They vary more than processes do. */
const READS = 3;
/** The start of the queried period, in Gregorian seconds. */
const FROM = 'Math.floor(Date.now() / 1000) + 62167219200 - Number($json.query.seconds)';

/** Measures reading many call records at once. Throws if a node doesn't read all of them. */
export async function measureCdrs(): Promise<Claim[]> {
	return await withCleanups(async (later) => {
		const { url, close } = await startSandbox();
		later(close);
		await new SandboxClient(url).generateRecords(RECORDS);
		const run = (reader: Reader) => async () => await measureOne(url, reader);
		const { raw, simplified, split } = await alternate(
			{ raw: run(ourReader(false)), simplified: run(ourReader(true)), split: run(splitReader) },
			{ rounds: 5, warmUps: 0 },
		);
		const against = 'HTTP Request + Split Out';
		return [
			...compare(against, raw, split, [
				['raw: time (ms)', 'ms'],
				['raw: peak memory (MiB)', 'peakMb'],
			]),
			...compare(against, simplified, split, [
				['simplified: time (ms)', 'ms'],
				['simplified: peak memory (MiB)', 'peakMb'],
			]),
		];
	});
}

/** Returns the nodes that read a PBX's records. The last one outputs an item per record. */
type Reader = (pbx: string, credential: Credential) => INode[];

function ourReader(simplify: boolean): Reader {
	const time = { returnAll: true, after: `={{ ${FROM} }}` };
	const parameters = { resource: 'cdr', operation: 'getMany', ...time, simplify };
	return (_, credential) => [ourNode(parameters, credential), node('Last', 'noOp')];
}

const splitReader: Reader = (pbx, credential) => [
	httpRequest(`=${pbx}/v1/pbx/accounts/{account_id}/cdrs?created_from={{ ${FROM} }}`, credential),
	node('Last', 'splitOut', 1, { fieldToSplitOut: 'data', options: {} }),
];

/** Measures reading a month of records in an n8n process that is warmed up. Returns the median. */
async function measureOne(pbx: string, reader: Reader): Promise<Spent> {
	const n8n = await startN8n({ env: COLLECTING });
	try {
		const client = await n8n.signIn();
		const nodes = [
			webhook('lastNode'),
			...reader(pbx, await createCredential(client, pbx)),
			node('One', 'limit', 1, { maxItems: 1 }),
			countNode("={{ $('Last').all().length }}"),
		];
		const url = await activate(client, nodes, UNSAVED);
		const first = await fetch(`${url}?seconds=600`);
		if (!first.ok) throw new Error(`${url} responded with ${first.status}: ${await first.text()}`);
		const reads: Spent[] = [];
		while (reads.length < READS)
			reads.push(await spentBy(n8n, `${url}?seconds=${MONTH_SECONDS}`, RECORDS));
		return { ms: median(reads.map(({ ms }) => ms)), peakMb: reads[0]?.peakMb ?? NaN };
	} finally {
		await n8n.dispose();
	}
}
