import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { missedCallers, contactOf } from '../../../nodes/VirtualPbx/calls/missedCallers';
import { END_OUTCOMES, outcomeOfLeg } from '../../../nodes/VirtualPbx/calls/outcome';
import {
	callOfRecords,
	lacksFirstLeg,
	callPasses,
	simplifyCall,
	simplifyCdr,
} from '../../../nodes/VirtualPbx/calls/record';
import { legOfCdr, groupByCall } from '../../../nodes/VirtualPbx/calls/recordedCalls';
import { Cdr, CDR_FIELDS } from '../../../nodes/VirtualPbx/pbx/cdrs/cdr';
import * as candidates from '../../../nodes/VirtualPbx/triggers/callRecord/calls';
import { Progress } from '../../../nodes/VirtualPbx/triggers/callRecord/progress';
import { bareNumber } from '../../../nodes/VirtualPbx/util/party';
import { cdrsIn } from '../../support/cdrs';
import { object, corrupted } from '../hostile';
import { isJson, target } from '../target';

const seconds = fc.integer({ min: 63_962_000_000, max: 63_962_100_000 }).map(String);

/** A call record as in §2.4. */
const validRecord = fc.record({
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
const records = fc.oneof(corrupted(validRecord), object([...CDR_FIELDS]));
const lists = fc.array(records, { minLength: 1, maxLength: 6 });
const kinds = fc.constantFrom<candidates.EventKind>('newCall', 'newCallRecord', 'recordingReady');
const EMPTY = simplifyCdr(new Cdr({}));
const shapesOf = (item: IDataObject) =>
	[item, item.details as IDataObject].map((fields) => Object.keys(fields).sort());
const NOW = 1_795_000_000_000;
const TIMES = { hasOnlyPhoneLegs: false, lookBackMs: 60_000 };

/** Reads call records of a hostile or broken PBX (§2.4). */
export const recordTargets = [
	target('call records', records, (original) => {
		const record = new Cdr(original);
		const simple = simplifyCdr(record);
		isJson(simple);
		assert.deepEqual(shapesOf(simple), shapesOf(EMPTY), 'A field is missing');
		assert.equal(outcomeOfLeg(legOfCdr(record)), simple.outcome);
		assert.ok(Number.isFinite(legOfCdr(record).talk ?? 0));
		assert.ok(Number.isFinite(record.endedAt ?? 0));
		assert.ok(record.recordings[0]?.address !== '');
		assert.match(record.key, /^[\w-]{12}$/);
	}),
	target('calls from records', lists, (originals) => {
		const all = cdrsIn(originals);
		const calls = groupByCall(all);
		const legs = calls.flatMap((one) => one.legs);
		assert.equal(legs.length, all.length, 'A leg is lost or duplicated');
		assert.deepEqual(new Set(legs), new Set(all));
		for (const one of calls) {
			const summary = simplifyCall(one.legs);
			isJson(summary);
			assert.deepEqual(summary, simplifyCall([...one.legs].reverse()), 'Order matters');
			assert.ok(END_OUTCOMES.some(({ value }) => value === summary.outcome));
			assert.ok(callPasses(one.legs, { countVoicemail: true }));
			assert.equal(typeof lacksFirstLeg(one.legs), 'boolean');
		}
		const contacts = calls.map((call) =>
			contactOf(callOfRecords(call.legs), { at: NOW, isMissed: true }),
		);
		const callers = missedCallers(contacts, bareNumber);
		isJson(callers);
		assert.ok(callers.length <= contacts.length);
	}),
	target('new calls in a window', fc.tuple(lists, kinds), ([originals, kind]) => {
		const all = cdrsIn(originals);
		const progress = new Progress('source', NOW - 60_000, NOW - 120_000);
		const found = candidates.findCandidates(progress, all, kind);
		if (kind !== 'recordingReady')
			assert.equal(found.flatMap((one) => one.records).length, all.length);
		assert.equal(new Set(found.map(({ id }) => id)).size, found.length, 'An ID repeats');
		for (const one of found) assert.ok(candidates.completenessOf(one, progress, TIMES));
		for (const one of found) progress.enter(one.id, [one]);
		const again = candidates.findCandidates(progress, all, kind);
		const ids = (list: candidates.Candidate[]) => list.map(({ openId, id }) => openId ?? id).sort();
		assert.deepEqual(ids(again), ids(found), 'An item is lost after a crash');
		for (const one of found) progress.finish(one.id);
		progress.advance(all, [], { to: NOW, isLast: true, lookBackMs: 60_000 });
		isJson(progress.toJSON());
		const left = candidates.findCandidates(progress, all, kind);
		const isKept = ({ lastAt }: candidates.Candidate) => lastAt > progress.from;
		assert.deepEqual(left.filter(isKept), [], 'An item is emitted twice');
	}),
];
