import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import * as advancing from '../../../nodes/VirtualPbx/triggers/callRecord/advance';
import * as call from '../../../nodes/VirtualPbx/records/call';
import {
	employeeOfCall,
	outcomeOfCall,
	summarizeCall,
	talkOfCall,
} from '../../../nodes/VirtualPbx/records/summary';
import * as placed from '../../../nodes/VirtualPbx/records/placed';
import { readLeg } from '../../../nodes/VirtualPbx/records/cdr';
import { passes } from '../../../nodes/VirtualPbx/records/callFilter';
import * as habits from '../../../nodes/VirtualPbx/triggers/callRecord/habit';
import { beginAt, readProgress } from '../../../nodes/VirtualPbx/triggers/callRecord/progress';
import * as keys from '../../../nodes/VirtualPbx/records/recordKey';
import { findUnits, fullKeysOf } from '../../../nodes/VirtualPbx/triggers/callRecord/units';
import { END_OUTCOMES } from '../../../nodes/VirtualPbx/values/outcome';
import * as ranges from '../../../nodes/VirtualPbx/records/callRange';
import * as missed from '../../../nodes/VirtualPbx/records/missedCallers';
import { bareNumber } from '../../../nodes/VirtualPbx/values/numbers';
import {
	dropDoubles,
	growingWindows,
	splitRange,
} from '../../../nodes/VirtualPbx/records/readCdrs';
import { json, object } from '../hostile';
import { isJson, target } from '../target';
import { records, soundRecord } from './samples';

const lists = fc.array(records, { maxLength: 6 });
const kinds = fc.constantFrom<'call' | 'record' | 'recording'>('call', 'record', 'recording');
const NOW = 1_795_000_000_000;
const PATIENCE = { settleMs: 1000, firstLegMs: 1000, overlapMs: 60_000 };

/** What call records of a hostile or broken PBX run into (§2.4). */
export const recordTargets = [
	target(
		'calls from records',
		[
			...Object.values(call),
			...Object.values(placed),
			summarizeCall,
			employeeOfCall,
			outcomeOfCall,
			talkOfCall,
			passes,
		],
		fc.array(records, { minLength: 1, maxLength: 6 }),
		(all) => {
			const calls = call.groupByCall(all);
			const legs = calls.flatMap((one) => one.legs);
			assert.equal(legs.length, all.length, 'No leg is lost or doubled');
			assert.deepEqual(new Set(legs), new Set(all));
			assert.deepEqual(new Set(call.sortByTime(all)), new Set(all));
			assert.equal(typeof placed.havePlacedFirstLegs(calls), 'boolean');
			for (const one of calls) {
				const summary = summarizeCall(one.legs);
				isJson(summary);
				assert.deepEqual(summary, summarizeCall([...one.legs].reverse()), 'Order matters');
				assert.equal((summary.details as IDataObject).legCount, one.legs.length);
				assert.equal(outcomeOfCall(one.legs), summary.outcome);
				assert.ok(END_OUTCOMES.some(({ value }) => value === summary.outcome));
				assert.ok(!Number.isNaN(call.talkTimeOf(one.legs)));
				assert.equal(talkOfCall(one.legs), summary.talkSeconds ?? 0);
				const first = call.firstLegOf(one.legs);
				assert.ok(!(first && placed.isPlacedAlone(one.legs)));
				const click = placed.clickToCall(one.legs.map(readLeg));
				assert.ok(!click || placed.isOutside(click.outside.to));
				assert.ok(passes(one.legs, { causes: [], minTalkSeconds: -Infinity }));
			}
		},
	),
	target(
		'what is new in a window',
		[findUnits, advancing.advance, advancing.isComplete, advancing.waitingOf, fullKeysOf],
		fc.tuple(lists, kinds),
		([all, kind]) => {
			const start = beginAt('source', NOW - 60_000, NOW - 120_000);
			const found = findUnits(start, all, kind);
			if (kind !== 'recording')
				assert.equal(found.units.flatMap((unit) => unit.records).length, all.length);
			for (const unit of found.units) advancing.isComplete(unit, start.waiting, NOW, PATIENCE);
			const window = { from: NOW - 120_000, until: NOW, now: NOW, overlapMs: 60_000, waitMs: 1000 };
			const next = advancing.advance(start, found, new Set(found.units), window);
			assert.ok(next.watermark >= start.watermark);
			assert.deepEqual(readProgress(structuredClone({ ...next }), 'source'), next);
			assert.deepEqual(findUnits(next, all, kind).units, [], 'Nothing is told twice');
		},
	),
	target(
		'whether calls have a first leg',
		Object.values(habits).filter((one) => typeof one === 'function'),
		fc.tuple(lists, kinds),
		([all, kind]) => {
			const found = findUnits(beginAt('source', NOW - 60_000, NOW - 120_000), all, kind);
			const seen = habits.noteFirstLegs(habits.NO_HABIT, all.flat(), NOW);
			const habit = habits.noteAlone(seen, found.units);
			const times = { now: NOW, firstLegMs: 3_600_000 };
			const wait = habits.firstLegWait(habit, found, {}, times) ?? 0;
			assert.ok(wait >= 0 && wait <= times.firstLegMs);
			assert.equal(typeof habits.knowsEnough(habit), 'boolean');
			assert.ok([true, false, undefined].includes(call.haveInboundLegs(all.flat(), NOW)));
		},
	),
	target(
		'calls of a range',
		[ranges.verdictOf, ranges.timeOfCall, ranges.timesOf, ranges.newestCallsFirst],
		fc.tuple(
			fc.array(records, { minLength: 1, maxLength: 6 }),
			fc.constantFrom(true, false, undefined),
			fc.boolean(),
		),
		([all, haveFirstLegs, havePlacedFirstLegs]) => {
			const halves = [
				{ from: -Infinity, to: NOW },
				{ from: NOW, to: Infinity },
			];
			const calls = call.groupByCall(all).map(({ bridgeId, legs }) => {
				return { bridgeId, legs: call.sortByTime(legs) };
			});
			const known = { from: -Infinity, to: Infinity };
			for (const one of calls) {
				const sought = { known, now: Infinity, haveFirstLegs, havePlacedFirstLegs };
				const given = halves.filter(
					(wanted) => ranges.verdictOf(one, { ...sought, wanted }) === 'in',
				);
				const hasTime = ranges.timeOfCall(one.legs) !== undefined;
				assert.equal(given.length, hasTime ? 1 : 0, 'A call belongs to one part of a range');
				assert.equal(ranges.timesOf(one.legs) !== undefined, hasTime);
			}
			assert.equal(ranges.newestCallsFirst(calls).length, calls.length);
		},
	),
	target(
		'missed callers',
		[missed.missedCallers, missed.noteOf],
		fc.array(fc.array(records, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
		(all) => {
			const notes = all.map((legs) => missed.noteOf(summarizeCall(legs), true));
			const callers = missed.missedCallers(notes, bareNumber);
			isJson(callers);
			assert.ok(callers.length <= notes.length);
			for (const { missedCalls } of callers) assert.ok(Number(missedCalls) >= 1);
		},
	),
	target(
		'windows that grow',
		[growingWindows],
		fc.tuple(
			fc.nat(5_000_000),
			fc.integer({ min: 60, max: 90_000 }),
			fc.integer({ min: 5000, max: 90_000 }),
		),
		([length, shortest, longest]) => {
			const range = { from: 62_000_000_000, to: 62_000_000_000 + length };
			const windows = growingWindows(range, shortest, longest);
			assert.deepEqual([windows.at(-1)?.from, windows[0]?.to], [range.from, range.to]);
			windows.slice(1).forEach((older, index) => {
				assert.ok(older.to > (windows[index]?.from ?? 0), 'Neighbours overlap');
			});
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
		[keys.recordKey, keys.canonical, keys.shortHash, keys.addressKey],
		records,
		(record) => {
			const { stable, full } = keys.recordKey(record);
			assert.match(stable, /^[\w-]{12}$/);
			assert.equal(full.length, keys.FULL_LENGTH);
			isJson(JSON.parse(keys.canonical(record)));
			assert.equal(keys.addressKey(keys.shortHash(full)).stable.length, 12);
		},
	),
	target(
		'static data of the record trigger',
		[readProgress, beginAt],
		object(['version', 'source', 'watermark', 'from', 'seen', 'waiting']),
		(data) => {
			const progress = readProgress(data, 'source');
			assert.ok(progress === undefined || progress.source === 'source');
		},
	),
	target(
		'damaged static data of the record trigger',
		[readProgress, findUnits],
		fc.tuple(lists, kinds, fc.dictionary(fc.string(), fc.string()), json()),
		([all, kind, seen, extra]) => {
			const damaged = { ...beginAt('source', NOW, NOW), seen, extra };
			const progress = readProgress(damaged as never, 'source');
			if (progress) isJson(findUnits(progress, all, kind).units.length);
		},
	),
];
