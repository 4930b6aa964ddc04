import type { INodeParameters } from 'n8n-workflow';

import { addRecords, searchesOf, startPbx } from '../../support/sandbox';
import type { PbxUnderTest } from '../../support/sandbox';

let pbx: PbxUnderTest;

const NOON = Date.UTC(2026, 10, 20, 12) / 1000;
const GREGORIAN_NOON = NOON + 62_167_219_200;

beforeEach(async () => void (pbx = await startPbx()));
afterEach(async () => await pbx.sandbox.close());

const queries = () => searchesOf(pbx);

describe('finds a caller in whichever form the PBX keeps it', () => {
	const KEPT = ['171 (IVANOVA MA)', '"Ivanova" <sip:171@h>', '171', 'sip:171@h'];
	const find = async (callerNumber: unknown, limit = 50) => {
		const times = { after: NOON, before: NOON + 60 };
		const found = await pbx.items('cdr:getMany', {
			...times,
			limit,
			simplify: false,
			filters: { callerNumber },
		} as INodeParameters);
		return found.map(({ CALLER_ID_NUMBER }) => CALLER_ID_NUMBER);
	};
	beforeEach(async () => {
		const callers = [...KEPT, '1710', '79990000171', 'sip:1712@h'];
		const TIMESTAMP = String(GREGORIAN_NOON + 5);
		await addRecords(
			pbx,
			callers.map((CALLER_ID_NUMBER) => ({ CALLER_ID_NUMBER, TIMESTAMP })),
		);
	});

	it.each([[171], ['171'], ['+171'], ['171 (IVANOVA MA)'], ['"Somebody" <sip:171@elsewhere>']])(
		'by the number: %s',
		async (caller) => {
			expect((await find(caller)).sort()).toEqual([...KEPT].sort());
		},
	);

	it.each(['171', 'sip:171@h'])(
		'sends nothing that the PBX would compare with another form of it: %s',
		async (caller) => {
			await find(caller);
			expect(queries()).toEqual([
				expect.not.objectContaining({ filter_caller_id_number: expect.anything() }),
			]);
		},
	);

	it('by several numbers and beginnings, within the limit', async () => {
		expect(await find('1710, 7999*')).toHaveLength(2);
		expect(await find('171*', 3)).toHaveLength(3);
	});

	it('gives number and name apart', async () => {
		const times = { after: NOON, before: NOON + 60 };
		const filters = { callerNumber: '171 (IVANOVA MA)' };
		const options = { includeDetails: true };
		const found = await pbx.items('cdr:getMany', { ...times, filters, options });
		const details = { from: '171', fromName: 'IVANOVA MA', fromUri: '171 (IVANOVA MA)' };
		expect(found).toContainEqual(
			expect.objectContaining({ details: expect.objectContaining(details) as unknown }),
		);
	});
});
