import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { outcomeOfCall, summarizeCall } from '../../../nodes/VirtualPbx/records/summary';
import { simplifyCdr } from '../../../nodes/VirtualPbx/records/cdr';
import { HANGUP_CAUSES } from '../../../nodes/VirtualPbx/values/hangupCause';
import { END_OUTCOMES } from '../../../nodes/VirtualPbx/values/outcome';

const words = END_OUTCOMES.map(({ value }) => value);
const parties = fc.constantFrom('101', 'sip:102@h', '103 (IVANOVA MA)', '74951234567', 'x', '');

const records: fc.Arbitrary<IDataObject> = fc.record(
	{
		TIMESTAMP: fc.integer({ min: 63_962_395_200, max: 63_962_395_206 }).map(String),
		BRIDGE_ID: fc.constantFrom('b@h', 'c@h'),
		CALL_ID: fc.constantFrom('b@h', 'd@h', 'e@h'),
		CALL_DIRECTION: fc.constantFrom('inbound', 'outbound', 'OUTBOUND', 'internal', ''),
		CALLER_ID_NUMBER: parties,
		CALLEE_ID_NUMBER: parties,
		BILLING_SECONDS: fc.constantFrom('0', '5', '30', 'x'),
		HANGUP_CAUSE: fc.oneof(fc.constantFrom(...HANGUP_CAUSES), fc.string()),
		REC_LINK: fc.constantFrom('https://r.example/', ''),
		REC_FILE: fc.constantFrom('a.mp3', 'b.mp3', ''),
		extra: fc.nat(3),
	},
	{ requiredKeys: [] },
);
const callsInOrders = fc
	.array(records, { minLength: 1, maxLength: 7 })
	.chain((legs) =>
		fc.tuple(
			fc.constant(legs),
			fc.shuffledSubarray(legs, { minLength: legs.length, maxLength: legs.length }),
		),
	);

describe('records and calls', () => {
	it('have exactly one outcome, from the table', () => {
		fc.assert(
			fc.property(callsInOrders, ([legs]) => {
				expect(words).toContain(summarizeCall(legs).outcome);
				expect(outcomeOfCall(legs)).toBe(summarizeCall(legs).outcome);
				for (const leg of legs) expect(words).toContain(simplifyCdr(leg).outcome);
			}),
		);
	});

	it('say the same of a single leg', () => {
		fc.assert(
			fc.property(records, (record) => {
				const { details: ofCall, employee: _, ...call } = summarizeCall([record]);
				const { details: ofRecord, employee: __, ...leg } = simplifyCdr(record);
				expect(call).toEqual(leg);
				expect(ofCall).toMatchObject({ hangupCause: (ofRecord as IDataObject).hangupCause });
			}),
		);
	});

	it('give the same call from its legs in any order', () => {
		fc.assert(
			fc.property(callsInOrders, ([legs, others]) => {
				expect(summarizeCall(others)).toEqual(summarizeCall(legs));
			}),
			{ numRuns: 500 },
		);
	});

	it('never count a call as missed that has talk time, or that a colleague placed', () => {
		fc.assert(
			fc.property(callsInOrders, ([legs]) => {
				const { outcome, talkSeconds, from } = summarizeCall(legs);
				const isShort = /^\d{1,5}$/.test(String(from));
				if (Number(talkSeconds) > 0) expect(['answered', 'voicemail']).toContain(outcome);
				if (isShort) expect(outcome).not.toBe('missed');
				else if (!/\p{L}/u.test(String(from))) expect(outcome).not.toBe('cancelled');
			}),
		);
	});
});
