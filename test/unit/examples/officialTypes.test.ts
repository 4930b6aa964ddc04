import { misfits } from '../../support/official/misfits';
import type { Exchange, OfficialRoutes } from '../../support/official/routes';

const UPDATE = 'POST /crm/objects/2026-03/:kind(contacts|calls|notes|tasks)/batch/update';
const input = { id: '1', properties: { hs_call_title: 'A' } };
const moments = { startedAt: '2026-01-01T00:00:00Z', completedAt: '2026-01-01T00:00:00Z' };

type Service = keyof OfficialRoutes;

const FITTING: Exchange = {
	...{ route: UPDATE, body: { inputs: [input] } },
	response: { status: 'COMPLETE', results: [], ...moments },
};

const WRONG: Array<[string, Service, Exchange, RegExp]> = [
	[
		'a field of another type',
		'hubspot',
		{ route: UPDATE, body: { inputs: [{ ...input, id: 1 }] } },
		/^POST \S+ body\.inputs\.id: Type 'number'/,
	],
	[
		'an unknown field',
		'pipedrive',
		{
			...{ route: 'POST /api/v2/activities', query: { api_token: 'a' } },
			body: { subject: 'A', person_name: 'B' },
		},
		/^POST \S+ body\.person_name: /,
	],
	[
		'an unknown parameter of the URL',
		'googleSheets',
		{
			route: 'GET /v4/spreadsheets/:id/values::batchGet',
			query: { ranges: 'Calls', range: 'Calls' },
		},
		/^GET \S+ query\.range: /,
	],
	[
		'a field that the response lacks',
		'hubspot',
		{
			...{ route: UPDATE, body: { inputs: [input] } },
			response: { status: 'COMPLETE', results: [], startedAt: moments.startedAt },
		},
		/^POST \S+ response: Property 'completedAt' is missing/,
	],
	[
		'a value that is not in its list',
		'hubspot',
		{
			...{ route: UPDATE, body: { inputs: [input] } },
			response: { status: 'DONE', results: [], ...moments },
		},
		/^POST \S+ response\.status: Type '"DONE"'/,
	],
	[
		'a part of a message of another type',
		'slack',
		{
			route: 'POST /api/chat.postMessage',
			body: { channel: 'C', text: 'A', attachments: [{ text: 1 }] },
		},
		/^POST \S+ body\.attachments\.text: /,
	],
	[
		'a path that no type stands for',
		'googleDrive',
		{ route: 'GET /drive/v3/about' },
		/^GET \/drive\/v3\/about: /,
	],
];

describe("the check by the official clients' types", () => {
	let found: string[];

	beforeAll(() => {
		const recordings = [['', 'hubspot', FITTING] as const, ...WRONG];
		found = misfits(
			recordings.map(([, official, exchange]) => ({
				official,
				exchanges: new Map([['', exchange]]),
			})),
		);
	});

	it('accepts what fits', () => {
		expect(found).toHaveLength(WRONG.length);
	});

	it('names a service that none was recorded of', () => {
		const silent = { official: 'slack', exchanges: new Map() } as const;
		expect(misfits([silent])).toEqual(['slack: nothing was exchanged']);
		expect(misfits([{ exchanges: new Map() }])).toEqual([]);
	});

	it.each(WRONG)('names %s', (_, __, ___, words) => {
		expect(found.filter((line) => words.test(line))).toHaveLength(1);
	});
});
