import crypto from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { IDataObject } from 'n8n-workflow';

import { ANY_ACCOUNT } from '../../../nodes/VirtualPbx/calls/leg';
import { simplifyCall } from '../../../nodes/VirtualPbx/calls/record';
import { groupByCall } from '../../../nodes/VirtualPbx/calls/recordedCalls';
import { Cdr } from '../../../nodes/VirtualPbx/pbx/cdrs/cdr';
import { callSettingsOf } from '../../../nodes/VirtualPbx/pbx/credential';
import type { CallSettings } from '../../../nodes/VirtualPbx/pbx/types';
import type { Settings } from '../../../sandbox';
import { COMPANIES, SEVEN_DIGITS, simulatorOf } from '../../support/allCalls/company';
import type { SimulatedCall } from '../../support/allCalls/company';
import { callDrawer } from '../../support/allCalls/draw';
import type { Company } from '../../support/allCalls/draw';
import { randomOf } from '../../support/random';
import { IS_RELEASE, times } from '../../support/release';
import { eventSettings } from '../../support/trigger/settings';
import { itemsOf } from '../support/deliveries';

/** How many calls are read together, as of one day. */
const BATCH = 200;
const START = Date.UTC(2026, 9, 1) / 1000;

const PROFILES: Array<Partial<Settings>> = [
	{ profile: 'contract' },
	{ profile: 'field', legs: 'both' },
	{ profile: 'kazoo' },
	{ profile: 'kazoo', channel_vars: true },
];
const SEED = IS_RELEASE ? Date.now() : 47;
const SETUPS = [...COMPANIES, SEVEN_DIGITS]
	.flatMap((company) => PROFILES.map((settings) => ({ company, settings })))
	.map((setup, index) => ({ ...setup, seed: SEED + index }));
const LIMIT_MS = IS_RELEASE ? 1_200_000 : 300_000;

/** What the credential says about the account. */
const callsOf = ({ extensionDigits = '' }: Company): CallSettings =>
	callSettingsOf({ extensions: extensionDigits, realm: 'demo.sandbox.local' });

/** Reads records as the client does. */
const read = (calls: readonly SimulatedCall[], settings: Partial<Settings>, own: CallSettings) => {
	const source = {
		dialect: { stampsBegin: settings.profile === 'kazoo' },
		calls: own,
		recordingAddress: () => undefined,
	};
	const records = calls.flatMap((call) => call.records.map((record) => new Cdr(record, source)));
	return groupByCall(records);
};

const digitsIn = (text: unknown) => (typeof text === 'string' ? text.replace(/\D/g, '') : null);

interface Said {
	callType: unknown;
	missed: unknown;
	customer: string | null;
	isHidden: unknown;
	employee: unknown;
	talkers: unknown;
}

/** What an item says of a call. */
const saidBy = ({ callType, missed, customerNumber, employee, details }: IDataObject): Said => ({
	callType,
	missed,
	customer: digitsIn(customerNumber),
	isHidden: (details as IDataObject).customerHidden,
	employee,
	talkers: ((details as IDataObject).employees as IDataObject[]).map((one) => one.employee),
});

/** What the records of a call must say. */
function recordedOf({ truth, order, records }: SimulatedCall): Said {
	const isUnsaid = order.taken_by !== undefined && !records.some(({ module }) => module);
	const isUnnamed = order.only_losers === true;
	const talkers = isUnnamed ? [] : truth.employees.map(({ extension }) => extension);
	const [only = null, ...others] = truth.rang;
	const called =
		truth.result === 'answered' ? (talkers.at(-1) ?? null) : others.length === 0 ? only : null;
	return {
		callType: truth.type,
		// A machine that no record names looks like voicemail.
		missed: truth.missed || isUnsaid,
		customer: digitsIn(truth.customer),
		isHidden: truth.type === 'incoming' && truth.customer === null,
		employee: isUnnamed ? null : (truth.caller ?? called),
		talkers,
	};
}

/** Records don't tell 112 from an extension. */
const isEmergency = ({ order }: SimulatedCall) => order.to === '112' || order.to === '911';

const drawn = (company: Company, settings: Partial<Settings>, seed: number) => {
	const random = randomOf(seed);
	const hex = () =>
		Math.floor(random() * 2 ** 32)
			.toString(16)
			.padStart(8, '0');
	jest.spyOn(crypto, 'randomUUID').mockImplementation(() => `${hex()}-${hex()}-${hex()}-${hex()}-`);
	const draw = callDrawer(random, company);
	const simulate = simulatorOf(company, settings);
	return async (first: number): Promise<SimulatedCall[]> => {
		const calls: SimulatedCall[] = [];
		for (let index = 0; index < BATCH; index++)
			calls.push(await simulate(draw(), START + (first + index) * 1000));
		return calls;
	};
};

it.each(SETUPS)(
	'calls at $company.name, $settings, are what they were, in records and events',
	async ({ company, settings, seed }) => {
		const batches = Math.ceil(times(3000, 120_000) / SETUPS.length / BATCH);
		const own = callsOf(company);
		const next = drawn(company, settings, seed);
		const faults: Faults = {};
		for (let batch = 0; batch < batches; batch++) {
			const calls = await next(batch * BATCH);
			checkRecords(calls, read(calls, settings, own), faults);
			await checkEvents(calls, own, faults);
		}
		expect({ seed, faults }).toEqual({ seed, faults: {} });
	},
	LIMIT_MS,
);

/** By the kind of the call: what was said, what happened, and the records. */
type Faults = Record<string, string[]>;

const report = (...parts: unknown[]) => parts.map((part) => JSON.stringify(part));
const legsOf = ({ records }: SimulatedCall) =>
	records.map((record) => Object.values(record).join(' '));

function checkRecords(
	calls: readonly SimulatedCall[],
	found: ReturnType<typeof groupByCall>,
	faults: Faults,
): void {
	if (found.length !== calls.length) faults.count = report(found.length, calls.length);
	const byId = new Map(found.map((call) => [call.callId, call]));
	for (const call of calls) {
		const own = byId.get(call.truth.call_id);
		const said = own && saidBy(simplifyCall(own.legs, { shown: own.shown }));
		const expected = recordedOf(call);
		if (said && isEmergency(call))
			Object.assign(said, { callType: 'outgoing', customer: call.order.to });
		if (call.truth.type !== 'incoming') Object.assign(said ?? {}, { talkers: expected.talkers });
		if (!isDeepStrictEqual(said, expected))
			faults[`records: ${call.kind}`] = report(said, expected, legsOf(call));
	}
}

/** The events at the end of its legs start a workflow once. They know less: not who talked, nor how voicemail ended. */
async function checkEvents(calls: readonly SimulatedCall[], own: CallSettings, faults: Faults) {
	const settings = eventSettings({ account: { ...ANY_ACCOUNT, ...own } });
	for (const call of calls.filter((_, index) => index % times(4, 20) === 0)) {
		const items = await itemsOf(call.events, settings);
		const [said, ...more] = items.map(saidBy);
		if (!said || more.length > 0 || !isRight(call, said))
			faults[`events: ${call.kind}`] = report(items.map(saidBy), recordedOf(call), legsOf(call));
	}
}

function isRight(call: SimulatedCall, said: Said): boolean {
	const expected = recordedOf(call);
	const isKnown = !isDialedOnly(call) && !isUnmarkedEmergency(call);
	const names = ['callType', 'customer', 'isHidden'] as const;
	const isSame = names.every((name) => said[name] === expected[name]);
	const mayBeMissed = expected.missed === true || call.order.taken_by !== undefined;
	const isOurs = said.employee === null || isEmployee(call, said.employee);
	return (isSame || !isKnown) && (said.missed !== true || mayBeMissed) && isOurs;
}

/** Only the flat form says that an emergency line was used. */
const isUnmarkedEmergency = (call: SimulatedCall) =>
	isEmergency(call) && call.events.some(({ args }) => args);

/** The flat form of events names the leg that reached the customer by its ID alone. */
const isDialedOnly = ({ order, events }: SimulatedCall) =>
	order.reaches !== undefined && order.reaches !== order.to && events.every(({ args }) => !args);

const isEmployee = ({ truth: { caller, employees, rang } }: SimulatedCall, extension: unknown) =>
	[caller, ...rang, ...employees.map((one) => one.extension)].includes(String(extension));
