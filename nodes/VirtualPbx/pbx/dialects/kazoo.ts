import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { PbxError } from '../errors/pbxError';
import type { Pivot, Dialect, CdrFilter } from '../types';
import { answerEncoder, openDirectory, rungBy } from './kazooAnswer';

/** Kazoo waits for a web service this long by default, and at most. */
const MAX_WAIT_MS = 5000;

/** A Kazoo as 2600Hz publishes it, without a provider's changes. */
export const kazoo: Dialect = {
	name: 'a Kazoo',
	platformName: () => 'kazoo',
	basePath: () => '/v2',
	pastedPaths: () => ['/v2', '/v1'],
	needsRealm: false,
	/** Kazoo looks an account up by its realm, or else by its name. */
	loginData: ({ login, password, realm, accountName }) => ({
		credentials: createHash('md5').update(`${login}:${password}`).digest('hex'),
		method: 'md5',
		...(realm === '' ? {} : { realm }),
		...(accountName === '' ? {} : { account_name: accountName }),
	}),
	fields: {
		address: "'Base URL' and 'API'",
		login: "'Login', 'Password', and 'Realm' or 'Account Name'",
	},
	whenGone: 'The platform must offer version 2 of its API.',
	/** A page has 50 entries by default, so that 10,000 employees would take 400 requests. */
	longList: { page_size: 1000 },
	createsOutsideAccount: false,
	responseFormat: () => 'kazoo',
	stampsBegin: true,
	cdrFilter: kazooCdrFilter,
	recordingById: {
		/** Kazoo ignores the usual header Accept here, and returns JSON without this parameter. */
		path: (id) => `recordings/${encodeURIComponent(id)}?accept=audio/mpeg`,
		whenUnknown: {
			reason: "Your Kazoo doesn't offer recordings",
			hint: 'Its administrator must start the module once: sup crossbar_maintenance start_module cb_recordings',
		},
		whenEmpty: {
			reason: "Your Kazoo's recordings endpoint returns nothing",
			hint: 'It responds with 200 and an empty body, a known fault of some versions of 5.0. Ask its administrator to update cb_recordings.',
		},
	},
	usualPivot: { method: 'get' },
	serviceOf: ({ scheme, webserver }) => `${scheme}://${webserver}`,
	pivotData,
	rejectedAddress:
		"Kazoo doesn't call 127.0.0.1, localhost, or addresses that its administrator has blocked. Use an n8n address that Kazoo can reach.",
	clickToCall: {
		/** Since 4.2, POST waits for the phone and says why it didn't ring; versions before only have GET. */
		methods: ['POST', 'GET'],
		/** Without `auto_answer`, a Kazoo has a single phone pick up by itself. */
		query: ({ callerId, autoAnswer }) => ({
			...(callerId === undefined ? {} : { 'cid-number': callerId }),
			auto_answer: autoAnswer,
		}),
	},
	async rungBy(pbx, extension) {
		const callflow = await openDirectory(pbx).callflow(extension);
		return callflow && (rungBy(callflow) ?? {});
	},
	answerEncoder,
};

function pivotData(pivot: Pivot, callflowId: string): IDataObject {
	const { method, timeout, format } = pivot;
	return {
		...(method === undefined ? {} : { method: method.toLowerCase() }),
		...(timeout === undefined ? {} : { req_timeout_ms: pivotWait(timeout) }),
		...(format === undefined ? {} : { req_format: format }),
		voice_url: `${kazoo.serviceOf(pivot)}?callflow_id=${encodeURIComponent(callflowId)}`,
	};
}

function pivotWait(seconds: string): number {
	const ms = Math.round(Number(seconds) * 1000);
	if (ms <= MAX_WAIT_MS) return ms;
	throw new PbxError({
		kind: 'unsent',
		reason: `'Request Timeout (Seconds)' must be at most ${MAX_WAIT_MS / 1000} seconds, not ${seconds}: Kazoo doesn't wait longer`,
		hint: "Shorten 'Request Timeout', and 'Deadline' with it.",
	});
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Fields that Kazoo stores. Its filters compare these, and never the others of the list. */
const STORED = new Set(
	words(`
		billing_seconds call_direction call_id callee_id_name callee_id_number caller_id_name caller_id_number
		digits_dialed disposition duration_seconds from from_tag from_uri hangup_cause hangup_code interaction_id
		media_server node other_leg_call_id other_leg_caller_id_name other_leg_caller_id_number
		other_leg_destination_number other_leg_direction presence_id recording_url request ringing_seconds to
		to_tag to_uri user_agent
	`),
);

/** Fields that Kazoo stores under other names, by the name in its list or in the contract. */
const RENAMED: Readonly<Record<string, string>> = {
	direction: 'call_direction',
	call_type: 'custom_channel_vars.account_billing',
	...Object.fromEntries(
		words('account_id authorizing_id bridge_id call_priority owner_id rate_name').map((name) => [
			name,
			`custom_channel_vars.${name}`,
		]),
	),
};

/** Fields that Kazoo computes for its list, so only the list can be compared. */
const LISTED = new Set(
	words(`
		calling_from cost datetime dialed_number id iso_8601 iso_8601_combined media_recordings rate rfc_1036
		timestamp unix_timestamp unix_timestamp_micro
	`),
);

/** Fields of the objects that a record can hold. Their names are stored as `owner_id`, not as `Owner-ID`. */
const VARIABLES = /^custom_(?:application_vars|channel_vars|sip_headers)\.[\w-]/;

/** Returns how to filter Kazoo's call records by a field (interface.md §10); undefined if they don't have it. */
function kazooCdrFilter(field: string): CdrFilter | undefined {
	const name = field.toLowerCase();
	if (VARIABLES.test(name)) return { filter: name.replaceAll('-', '_') };
	const renamed = RENAMED[name];
	if (renamed !== undefined || STORED.has(name)) return { filter: renamed ?? name };
	return LISTED.has(name) ? { listed: name } : undefined;
}
