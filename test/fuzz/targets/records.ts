import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { assembleCall } from '../../../nodes/VirtualPbx/calls/call';
import { filteredBy } from '../../../nodes/VirtualPbx/calls/filter';
import * as parties from '../../../nodes/VirtualPbx/calls/parties';
import { END_OUTCOMES } from '../../../nodes/VirtualPbx/calls/outcome';
import { legOfCdr } from '../../../nodes/VirtualPbx/records/cdr';
import * as groups from '../../../nodes/VirtualPbx/records/groups';
import {
	callOfRecords,
	passes,
	simplifyCall,
	simplifyCdr,
} from '../../../nodes/VirtualPbx/records/output';
import { lacksFirstLeg, legProfileOf } from '../../../nodes/VirtualPbx/records/legProfile';
import { pollIntervalMs } from '../../../nodes/VirtualPbx/records/recordTriggers';
import { cursorAt } from '../../../nodes/VirtualPbx/triggers/callRecord/cursor';
import type { Settings } from '../../../nodes/VirtualPbx/triggers/callRecord/settings';
import * as units from '../../../nodes/VirtualPbx/triggers/callRecord/units';
import { advance } from '../../../nodes/VirtualPbx/triggers/callRecord/window';
import * as missed from '../../../nodes/VirtualPbx/records/missedCallers';
import { bareNumber } from '../../../nodes/VirtualPbx/values/numbers';
import { dropDoubles, splitRange } from '../../../nodes/VirtualPbx/records/readCdrs';
import { json } from '../hostile';
import { isJson, target } from '../target';
import { records, soundRecord } from './samples';

const lists = fc.array(records, { maxLength: 6 });
const kinds = fc.constantFrom<units.UnitKind>('newCall', 'newCallRecord', 'recordingReady');
const NOW = 1_795_000_000_000;
const TIMES = { now: NOW, overlapMs: 60_000 };

/** What call records of a hostile or broken PBX run into (§2.4). */
export const recordTargets = [
	target(
		'calls from records',
		[
			groups.groupByCall,
			groups.sortByTime,
			assembleCall,
			filteredBy,
			callOfRecords,
			simplifyCall,
			simplifyCdr,
			passes,
			parties.partsOf,
			parties.firstLegOf,
			parties.isOwnPhone,
			parties.callTypeOf,
			parties.customerOf,
			parties.employeeOf,
			parties.longestTalk,
		],
		fc.array(records, { minLength: 1, maxLength: 6 }),
		(all) => {
			const calls = groups.groupByCall(all);
			const legs = calls.flatMap((one) => one.legs);
			assert.equal(legs.length, all.length, 'No leg is lost or doubled');
			assert.deepEqual(new Set(legs), new Set(all));
			assert.deepEqual(new Set(groups.sortByTime(all)), new Set(all));
			for (const one of calls) {
				const summary = simplifyCall(one.legs);
				isJson(summary);
				assert.deepEqual(summary, simplifyCall([...one.legs].reverse()), 'Order matters');
				assert.equal((summary.details as IDataObject).legCount, one.legs.length);
				assert.ok(END_OUTCOMES.some(({ value }) => value === summary.outcome));
				const call = callOfRecords(one.legs);
				assert.deepEqual(assembleCall(call.legs, true).type, call.type);
				const own = parties.partsOf(one.legs.map(legOfCdr));
				assert.equal(parties.callTypeOf(own), call.type);
				assert.equal(parties.customerOf(own, call.type)?.number, call.customer?.number);
				assert.equal(parties.employeeOf(own, call.type)?.user, call.employee?.user);
				assert.equal(filteredBy(call, { countVoicemail: true }), undefined);
				assert.ok(passes(one.legs, { countVoicemail: true }));
				for (const leg of one.legs) isJson(simplifyCdr(leg));
			}
		},
	),
	target(
		'what is new in a window',
		[units.findUnits, units.completenessOf, units.ageOf, units.pendingOf, advance, cursorAt],
		fc.tuple(lists, kinds),
		([all, kind]) => {
			const start = cursorAt('source', NOW - 60_000, NOW - 120_000);
			const found = units.findUnits(start.seen, all, kind, NOW);
			if (kind !== 'recordingReady')
				assert.equal(found.units.flatMap((unit) => unit.records).length, all.length);
			for (const unit of found.units) {
				const pending = units.pendingOf(unit, start.pending, NOW);
				assert.equal(units.ageOf(unit, NOW, 0), NOW - unit.lastAt);
				assert.ok(units.completenessOf(unit, pending, { hasFirstLegs: true }, TIMES));
			}
			const done = new Set(found.units);
			const window = { from: NOW - 120_000, until: NOW, now: NOW };
			const settings = { overlapMs: 60_000, giveUpMs: 1000 } as Settings;
			const given = { done, tried: new Set<units.Unit>() };
			const next = advance({ settings }, start, { found, given, window });
			assert.ok(next.until >= start.until);
			isJson(next);
			const again = units.findUnits(next.seen, all, kind, NOW);
			const isKept = ({ lastAt }: units.Unit) => lastAt > next.from;
			assert.deepEqual(again.units.filter(isKept), [], 'Nothing is given twice');
		},
	),
	target(
		'whether calls have a first leg',
		[legProfileOf, lacksFirstLeg],
		fc.array(records, { minLength: 1, maxLength: 6 }),
		(all) => {
			const profile = legProfileOf(all, NOW);
			isJson(profile);
			for (const { legs } of groups.groupByCall(all))
				assert.ok([true, false, undefined].includes(lacksFirstLeg(legs, profile)));
		},
	),
	target('poll times', [pollIntervalMs], json(), (value) => {
		const interval = pollIntervalMs(value);
		assert.ok(interval === undefined || typeof interval === 'number');
	}),
	target(
		'missed callers',
		[missed.missedCallers, missed.noteOf],
		fc.array(fc.array(records, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
		(all) => {
			const notes = all.map((legs) =>
				missed.noteOf(callOfRecords(legs), { at: NOW, isMissed: true }),
			);
			const callers = missed.missedCallers(notes, bareNumber);
			isJson(callers);
			assert.ok(callers.length <= notes.length);
			for (const { missedCalls } of callers) assert.ok(Number(missedCalls) >= 1);
		},
	),
	target(
		'windows',
		[splitRange],
		fc.tuple(fc.option(fc.integer({ min: 0, max: 5_000_000 })), fc.nat(5_000_000), fc.nat(90_000)),
		([from, length, seconds]) => {
			const begin = from ?? undefined;
			const range = { from: begin, to: begin === undefined ? length : begin + length };
			const windows = splitRange(range, Math.max(seconds, length / 1000), 1000);
			const [newest] = windows;
			assert.deepEqual([windows.at(-1)?.from, newest?.to], [range.from, range.to]);
			windows.slice(1).forEach((older, index) => {
				assert.ok((older.to ?? 0) > (windows[index]?.from ?? 0), 'Neighbours overlap');
			});
		},
	),
	target(
		'neighbouring windows',
		[dropDoubles],
		fc.tuple(lists, fc.array(soundRecord, { maxLength: 6 })),
		([newer, older]) => {
			const range = (from: number) => ({ from, to: from + 50_000 });
			const left = dropDoubles(
				{ records: newer, range: range(63_962_049_998) },
				{ records: older, range: range(63_962_000_000) },
			);
			assert.ok(left.every((record) => older.includes(record as (typeof older)[number])));
			assert.ok(left.length >= older.length - newer.length, 'Only doubles are left out');
		},
	),
	target(
		'keys of records',
		[groups.recordKey, groups.canonical, groups.shortHash],
		records,
		(record) => {
			assert.match(groups.recordKey(record), /^[\w-]{12}$/);
			isJson(JSON.parse(groups.canonical(record)));
			assert.equal(groups.shortHash(groups.canonical(record)).length, 12);
		},
	),
];
