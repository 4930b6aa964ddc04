import type { IDataObject } from 'n8n-workflow';

import { missedCallers, contactOf } from '../../../nodes/VirtualPbx/calls/missedCallers';
import { callOfRecords, simplifyCall, simplifyCdr } from '../../../nodes/VirtualPbx/calls/record';
import { groupByCall } from '../../../nodes/VirtualPbx/calls/recordedCalls';
import { findCandidates } from '../../../nodes/VirtualPbx/triggers/callRecord/calls';
import { Progress } from '../../../nodes/VirtualPbx/triggers/callRecord/progress';
import { bareNumber } from '../../../nodes/VirtualPbx/util/party';
import { cdrsIn } from '../../support/cdrs';
import type { Bodies } from '../growth';
import { entryPoint } from '../growth';

const NOW = 1_795_000_000_000;
const RECORD: IDataObject = {
	CALL_DIRECTION: 'inbound',
	BRIDGE_ID: 'one',
	CALLEE_ID_NUMBER: 'sip:100@x.example',
	CALLER_ID_NUMBER: 'sip:74950000001@x.example',
	TIMESTAMP: '63962000000',
	BILLING_SECONDS: '5',
	HANGUP_CAUSE: 'NORMAL_CLEARING',
	REC_FILE: 'a.mp3',
	REC_LINK: 'https://rec.example/',
};
const SIZE = JSON.stringify(RECORD).length;

/** Builds lists of records that differ in a few fields. */
const many = (of: (index: number) => IDataObject) => (bytes: number) =>
	Array.from({ length: Math.ceil(bytes / SIZE) }, (_, index) => ({ ...RECORD, ...of(index) }));
const lists: Bodies<IDataObject[]> = {
	'records of one call': many(() => ({})),
	'records of many calls': many((index) => ({ BRIDGE_ID: `call ${index}` })),
	'records without a call': many((index) => ({
		BRIDGE_ID: '',
		TIMESTAMP: String(63_962_000_000 + index),
	})),
	'many callers': many((index) => ({
		BRIDGE_ID: `call ${index}`,
		CALLER_ID_NUMBER: `7495${index}`,
		BILLING_SECONDS: '0',
	})),
	'many parties of one call': many((index) => ({
		CALLEE_ID_NUMBER: `1${index}`,
		CALL_DIRECTION: 'outbound',
	})),
	'loopback legs of one call': many((index) => ({
		CALLEE_ID_NUMBER: `sip:+1212555010${index % 2}@x.example`,
		CALL_DIRECTION: index % 4 === 1 ? 'outbound' : 'inbound',
	})),
	'a record with many fields': (bytes) => [
		{
			...RECORD,
			...Object.fromEntries(Array.from({ length: bytes / 12 }, (_, at) => [`field-${at}`, 0])),
		},
	],
	'a record with long texts': (bytes) => [
		Object.fromEntries(Object.keys(RECORD).map((field) => [field, '"1a<;'.repeat(bytes / 45)])),
	],
};

/** Reads call records (§2.4). */
export const recordEntryPoints = [
	entryPoint('call records', lists, (records) =>
		cdrsIn(records).map((record) => [simplifyCdr(record), record.key, record.recordings]),
	),
	entryPoint('calls from records', lists, (originals) => {
		const records = cdrsIn(originals);
		const calls = groupByCall(records);
		const contacts = calls.map(({ legs }) =>
			contactOf(callOfRecords(legs), { at: NOW, isMissed: true }),
		);
		return [calls.map(({ legs }) => simplifyCall(legs)), missedCallers(contacts, bareNumber)];
	}),
	entryPoint('new calls in a window', lists, (records) =>
		findCandidates(new Progress('source', NOW, NOW), cdrsIn(records), 'newCall'),
	),
];
