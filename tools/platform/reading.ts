import type { Cdr } from '../../nodes/VirtualPbx/pbx/cdrs/cdr';
import type { Pbx } from '../../nodes/VirtualPbx/pbx/client';
import { PbxError } from '../../nodes/VirtualPbx/pbx/errors/pbxError';
import { readList } from '../../nodes/VirtualPbx/pbx/documents';
import { gregorianNow, unixToGregorian } from '../../nodes/VirtualPbx/util/time';
import type { Feature, Finding } from './finding';
import { breaks, differs, findingOf, lacks, unknown, works } from './finding';

const DAY = 86_400;
/** Periods to try for call records, in days, shortest first. */
const PERIODS = [1, 7, 30];
const MAX_RECORDS = 500;

/** Enough for calls of several kinds. */
const FEW_RECORDS = 6;

/** How far a record can be outside the requested period, in seconds: clocks differ, and calls can be long. */
const SLACK = DAY;

const count = (amount: number, noun: string, plural = `${noun}s`) =>
	`${amount} ${amount === 1 ? noun : plural}`;

/** Checks that change nothing. */
export const READING: Feature[] = [
	{
		name: 'Log in',
		usedBy: 'Everything',
		async *check({ pbx }) {
			const { accountId, ownerId } = await pbx.account.get();
			yield works(`Account ${accountId}`);
			if (ownerId === undefined)
				yield differs(
					"The login response doesn't include its user, so Account → Get has no ownerId",
				);
		},
	},
	{
		name: 'List callflows',
		usedBy: 'Credential test, Callflow → Get Many, Call Routing Trigger',
		async *check(platform) {
			const callflows = await platform.callflows();
			yield works(count(callflows.length, 'callflow'));
			if (callflows.some(({ id }) => id === undefined)) yield breaks('The list has no IDs');
			if (callflows.length > 0 && callflows.every(({ name }) => name === undefined))
				yield differs('The list has no names, so you select callflows by number');
		},
	},
	{
		name: 'Renew the token',
		usedBy: 'Everything',
		async *check({ statusOfUnknownToken }) {
			const statusCode = await statusOfUnknownToken();
			yield statusCode === 401
				? works('The PBX responds with 401 to an unknown token')
				: breaks(
						`The PBX responds with ${statusCode} to an unknown token. The nodes log in again only after 401, so requests fail once the token has expired`,
					);
		},
	},
	{
		name: 'Get a callflow',
		usedBy: 'Callflow → Get, Update, Create or Update, Call Routing Trigger',
		async *check({ pbx, callflows }) {
			const [first] = await callflows();
			if (first?.id === undefined) return yield unknown('There is no callflow');
			const { flow } = await pbx.callflows.get(first.id);
			yield flow === undefined
				? breaks('The callflow has no flow, so an update would lose it')
				: works('The callflow has its flow');
		},
	},
	{
		name: 'Find callflows by number',
		usedBy: 'Callflow → Get Many, Create or Update',
		async *check({ pbx, callflows }) {
			const isNumber = (number: string) => /\d{3}/.test(number);
			const sample = (await callflows()).find(({ numbers }) => numbers.some(isNumber));
			const number = sample?.numbers.find(isNumber);
			if (sample === undefined || number === undefined)
				return yield unknown('No callflow in the list has a number');
			const found = await pbx.callflows.byNumber(number);
			if (!found.some(({ id }) => id === sample.id))
				return yield breaks('The filter by number misses a callflow that has the number');
			yield works('The filter by number finds the callflow');
			if (number.startsWith('+'))
				yield differs('Numbers are stored with a plus sign; both forms are found');
			const query = { filter_numbers: number };
			if ((await readList(pbx, { path: ['callflows'], query })).length > found.length)
				yield differs('The filter also returns other callflows, which the nodes remove');
		},
	},
	{
		name: 'Get call records',
		usedBy: 'Call Record Trigger, Call, Call Record (CDR)',
		async *check({ pbx, ...platform }) {
			const { records, from } = await platform.records();
			if (records.length === 0) return yield unknown('No call in the last 30 days');
			yield works(count(records.length, 'call record'));
			yield* missingFields(records);
			if (pbx.dialect.stampsBegin)
				yield differs('TIMESTAMP is when a call began; the nodes compute when it ended');
			if (records.every((record) => record.original.TIMESTAMP === undefined))
				yield differs('Fields have different names than in the contract; the nodes support them');
			const times = records.flatMap((record) => record.stampedAt ?? []);
			if (times.some((time) => unixToGregorian(time / 1000) < from - SLACK))
				yield breaks('The PBX ignores created_from: it returns older records, too');
			if (
				records.length >= FEW_RECORDS &&
				!records.some(({ direction }) => direction === 'inbound')
			)
				yield differs(
					"The PBX doesn't record the caller's leg. Set 'Reported Parts of Calls' in the credential to Phones Only",
				);
		},
	},
	{
		name: 'Download recordings',
		usedBy: 'Recording → Download, Recording Ready',
		async *check({ pbx, ...platform }) {
			const { records } = await platform.records();
			const [recording] = records.flatMap(({ recordings }) => recordings);
			if (recording === undefined) return yield* withoutRecording(pbx);
			const type = await pbx.recordings.download(
				{ address: recording.address, waitMs: 0 },
				async ({ headers }) => await Promise.resolve(String(headers['content-type'] ?? 'no type')),
			);
			yield works(`The newest recording can be downloaded (${type})`);
		},
	},
	{
		name: 'Find mailboxes and sound files',
		usedBy: 'Routing steps Voicemail and Play File',
		async *check({ pbx }) {
			if (!pbx.dialect.takesFlows)
				return yield works('The PBX finds them by the names in an answer');
			for (const [path, noun, plural] of [
				['vmboxes', 'mailbox', 'mailboxes'],
				['media', 'sound file', 'sound files'],
			] as const) {
				yield works(count((await readList(pbx, { path: [path] })).length, noun, plural));
			}
		},
	},
	{
		name: 'List webhooks',
		usedBy: 'Virtual PBX Trigger, Webhook → Get Many, Check Health',
		async *check({ pbx }) {
			const webhooks = await pbx.webhooks.list();
			yield works(count(webhooks.length, 'webhook'));
			if (
				webhooks.length > 0 &&
				webhooks.every(({ original }) => original.custom_data === undefined)
			)
				yield differs('The list shows no custom data, so the nodes also read each webhook');
			if (webhooks.some(({ id }) => id === undefined)) yield breaks('The list has no IDs');
		},
	},
	{
		name: 'Read delivery attempts',
		usedBy: 'Webhook → Get Attempts, Check Health',
		async *check({ pbx }) {
			try {
				yield works(count((await pbx.webhooks.attempts(undefined, 50)).length, 'delivery attempt'));
			} catch (error) {
				yield differs(
					`Check Health can't say why deliveries fail: ${error instanceof Error ? error.message : String(error)}`,
				);
			}
		},
	},
	{
		name: 'List employees',
		usedBy: 'Employee → Get Many, Call → Start (click to call)',
		async *check({ pbx }) {
			try {
				const employees = await pbx.employees.list();
				const phones = employees.flatMap(({ devices }) => devices);
				yield works(
					`${count(employees.length, 'employee')} and their ${count(phones.length, 'device')}. For click to call, the PBX must also have quickcall, which can't be tried without ringing a phone`,
				);
				if (employees.length > 0 && employees.every(({ extension }) => extension === undefined))
					yield differs('The list shows no extensions (presence_id)');
			} catch (error) {
				const isMissing = error instanceof PbxError && error.kind === 'unsent';
				yield isMissing
					? lacks(`${error.message}. Everything else works without it`)
					: findingOf(error);
			}
		},
	},
];

/** Checks at least that a PBX whose records hold IDs has the addresses for them. */
async function* withoutRecording(pbx: Pbx): AsyncIterable<Finding> {
	const none = unknown('No call record has a recording');
	const address = pbx.recordingAddress('000000-none');
	if (address === undefined) return yield none;
	const error: unknown = await pbx.recordings
		.download({ address, waitMs: 0 }, async () => await Promise.resolve())
		.catch((thrown: unknown) => thrown);
	const isUnknown = error instanceof PbxError && error.details.says === undefined;
	yield isUnknown ? findingOf(error) : none;
}

/** Reads the newest records, from a longer period if there are none. */
export async function latestRecords(pbx: Pbx) {
	let from = gregorianNow();
	for (const days of PERIODS) {
		from = gregorianNow() - days * DAY;
		const records = await pbx.cdrs.list({ from, to: gregorianNow() }, { limit: MAX_RECORDS });
		if (records.length > 0) return { records, from };
	}
	return { records: [], from };
}

/** Consequences if no record has a field. */
const LOSSES: Array<[string, keyof Cdr, 'breaks' | 'differs', string]> = [
	['TIMESTAMP', 'timestamp', 'breaks', "the Call Record Trigger can't detect new calls"],
	['CALLER_ID_NUMBER', 'caller', 'breaks', 'calls have no caller'],
	['CALLEE_ID_NUMBER', 'callee', 'breaks', 'calls have no called number'],
	['CALL_DIRECTION', 'direction', 'differs', 'callType and missed are often null'],
	['BRIDGE_ID', 'bridgeId', 'differs', 'each record counts as a separate call'],
	['BILLING_SECONDS', 'talkSeconds', 'differs', 'talkSeconds is null'],
	['HANGUP_CAUSE', 'hangupCause', 'differs', 'outcome is only answered or not answered'],
];

const missingFields = (records: readonly Cdr[]): Finding[] =>
	LOSSES.filter(([, name]) => records.every((record) => record[name] === undefined)).map(
		([field, , verdict, loss]) => ({ verdict, says: `No record has ${field}: ${loss}` }),
	);
