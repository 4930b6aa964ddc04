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
	httpRequest,
	node,
	ourNode,
	UNSAVED,
	webhook,
} from '../flow';
import { compare, inTurns } from '../measure';
import type { Claim, Slice } from '../measure';
import { COLLECTING, spentBy } from '../memory';
import type { Spent } from '../memory';

const MONTH_SECONDS = 31 * 24 * 60 * 60;
/** The start of the time to read, in Gregorian seconds. */
const FROM = 'Math.floor(Date.now() / 1000) + 62167219200 - Number($json.query.seconds)';

/** Many call records in one go. */
export const cdrs: Slice = {
	name: 'cdrs',
	title: 'Call records: 100,000 in one Get Many',
	advice:
		'If you read tens of thousands of call records at once, use Get Many: it takes about as long as HTTP Request with Split Out, in about 60 % of the memory. Turn _Simplify_ off where every second counts.',
	method:
		'Each reader runs in an n8n of its own. Memory is the peak above rest. The HTTP Request node alone leaves all records in one item, which no other node can filter or loop over.',
	measure,
};

async function measure(full: boolean): Promise<Claim[]> {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const count = full ? 100_000 : 500;
		const response = await fetch(`${sandbox.url}/sandbox/cdrs/generate`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ count }),
		});
		if (!response.ok) throw new Error(await response.text());
		const run = (reader: Reader) => async () => await measureOne(sandbox, reader, count);
		const { raw, simplified, ...rivals } = await inTurns(
			{
				raw: run(ourReader(false)),
				simplified: run(ourReader(true)),
				'HTTP Request + Split Out': run(splitReader),
				'HTTP Request': run(theirReader),
			},
			{ rounds: full ? 5 : 1, warmUps: 0 },
		);
		return Object.entries({ raw, simplified }).flatMap(([name, ours]) =>
			Object.entries(rivals).flatMap(([against, theirs]) =>
				compare(against, ours, theirs, [
					[`${name}: time`, 'ms', 'ms', { atMost: 0.8 }],
					[`${name}: peak memory`, 'MiB', 'peakMb', { atMost: 0.7 }],
				]),
			),
		);
	});
}

/** Makes nodes that read the records of a PBX, and a last one that has their number as `count`. */
type Reader = (pbx: string, credential: Credential) => INode[];

const countItems = [
	node('One', 'limit', 1, { maxItems: 1 }),
	countNode("={{ $('Last').all().length }}"),
];

function ourReader(simplify: boolean): Reader {
	const what = { resource: 'cdr', operation: 'getMany', returnAll: true, simplify };
	const parameters = { ...what, after: `={{ ${FROM} }}` };
	return (_, credential) => [ourNode(parameters, credential), node('Last', 'noOp'), ...countItems];
}

const theirNode = (pbx: string, credential: Credential) =>
	httpRequest(`=${pbx}/v1/pbx/accounts/{account_id}/cdrs?created_from={{ ${FROM} }}`, credential);
const theirReader: Reader = (...where) => [
	theirNode(...where),
	countNode('={{ $json.data.length }}'),
];
const splitReader: Reader = (...where) => [
	theirNode(...where),
	node('Last', 'splitOut', 1, { fieldToSplitOut: 'data', options: {} }),
	...countItems,
];

/** Reads a month of records in an n8n that has read once before. Throws when not all of them come. */
async function measureOne(sandbox: Sandbox, reader: Reader, records: number): Promise<Spent> {
	const n8n = await startN8n({ env: COLLECTING });
	try {
		const client = await n8n.signIn();
		const nodes = reader(sandbox.url, await createCredential(client, sandbox.url));
		const url = await activate(client, [webhook('lastNode'), ...nodes], UNSAVED);
		await (await fetch(`${url}?seconds=600`)).text();
		return await spentBy(n8n, `${url}?seconds=${MONTH_SECONDS}`, records);
	} finally {
		await n8n.dispose();
	}
}
