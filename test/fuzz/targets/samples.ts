import fc from 'fast-check';

import { CDR_FIELDS } from '../../../nodes/VirtualPbx/records/cdr';
import { object, spoilt } from '../hostile';

const seconds = fc.integer({ min: 63_962_000_000, max: 63_962_100_000 }).map(String);

/** A call record as §2.4 has it. */
export const soundRecord = fc.record({
	CALL_DIRECTION: fc.constantFrom('inbound', 'outbound', ''),
	BRIDGE_ID: fc.constantFrom('one', 'two', 'three', ''),
	CALLEE_ID_NUMBER: fc.constant('sip:100@x.example'),
	CALLER_ID_NUMBER: fc.constant('sip:7495@x.example'),
	TIMESTAMP: seconds,
	BILLING_SECONDS: fc.nat(300).map(String),
	HANGUP_CAUSE: fc.constantFrom('NORMAL_CLEARING', 'NO_ANSWER'),
	REC_FILE: fc.constantFrom('', 'a.mp3', 'b.mp3'),
	REC_LINK: fc.constant('https://rec.example/'),
});

/** Call records that a broken or hostile PBX may give. */
export const records = fc.oneof(spoilt(soundRecord), object([...CDR_FIELDS]));
