import type { Dialect } from './types';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The platforms, by the credential's choice of API. */
export const DIALECTS = {
	/** The contract's interface (docs/internals/interface.md). */
	contract: {
		name: 'this PBX',
		platform: undefined,
		basePath: '/v1/{platform}',
		pastedPaths: ['/v1/{platform}', '/v1'],
		needsRealm: true,
		hashesPassword: false,
		fields: {
			address: "'Base URL' and 'API Path Segment'",
			login: "'Login', 'Password', and 'Realm'",
		},
		whenGone: "If it's a Kazoo, set 'API' to 'Kazoo (/v2)'.",
		longList: {},
		createsOutsideAccount: true,
		stampsBegin: false,
		// The contract shows no list of fields, so any other is sent as it is.
		cdrFields: { stored: undefined, listed: [], renamed: { direction: 'call_direction' } },
		recordingById: undefined,
		pivotsByUrl: false,
		usualPivot: { method: 'GET', req_timeout: '5' },
		rejectedAddress:
			"This PBX doesn't know {dflow}, so it might be a Kazoo. If so, set 'API' to 'Kazoo (/v2)' in the Virtual PBX credential.",
		takesFlows: false,
		extensionsAreCallflows: false,
		quickcallMethods: ['GET'],
		picksUpByDefault: false,
	},
	/** A Kazoo as 2600Hz publishes it, without a provider's changes. */
	kazoo: {
		name: 'a Kazoo',
		platform: 'kazoo',
		basePath: '/v2',
		pastedPaths: ['/v2', '/v1'],
		// Kazoo looks an account up by its realm, or else by its name.
		needsRealm: false,
		hashesPassword: true,
		fields: {
			address: "'Base URL' and 'API'",
			login: "'Login', 'Password', and 'Realm' or 'Account Name'",
		},
		whenGone: 'The platform must offer version 2 of its API.',
		// A page has 50 entries by default, so that 10,000 employees would take 400 requests.
		longList: { page_size: 1000 },
		createsOutsideAccount: false,
		stampsBegin: true,
		cdrFields: {
			stored: words(`
				billing_seconds call_direction call_id callee_id_name callee_id_number caller_id_name caller_id_number
				digits_dialed disposition duration_seconds from from_tag from_uri hangup_cause hangup_code
				interaction_id media_server node other_leg_call_id other_leg_caller_id_name
				other_leg_caller_id_number other_leg_destination_number other_leg_direction presence_id recording_url
				request ringing_seconds to to_tag to_uri user_agent
			`),
			listed: words(`
				calling_from cost datetime dialed_number id iso_8601 iso_8601_combined media_recordings rate rfc_1036
				timestamp unix_timestamp unix_timestamp_micro
			`),
			renamed: {
				direction: 'call_direction',
				call_type: 'custom_channel_vars.account_billing',
				account_id: 'custom_channel_vars.account_id',
				authorizing_id: 'custom_channel_vars.authorizing_id',
				bridge_id: 'custom_channel_vars.bridge_id',
				call_priority: 'custom_channel_vars.call_priority',
				owner_id: 'custom_channel_vars.owner_id',
				rate_name: 'custom_channel_vars.rate_name',
			},
		},
		recordingById: {
			// Kazoo ignores the usual header Accept here, and returns JSON without this parameter.
			path: 'recordings/{id}?accept=audio/mpeg',
			whenUnknown: {
				reason: "Your Kazoo doesn't offer recordings",
				hint: 'Its administrator must start the module once: sup crossbar_maintenance start_module cb_recordings',
			},
			whenEmpty: {
				reason: "Your Kazoo's recordings endpoint returns nothing",
				hint: 'It responds with 200 and an empty body, a known fault of some versions of 5.0. Ask its administrator to update cb_recordings.',
			},
		},
		pivotsByUrl: true,
		usualPivot: { method: 'get' },
		rejectedAddress:
			"Kazoo doesn't call 127.0.0.1, localhost, or addresses that its administrator has blocked. Use an n8n address that Kazoo can reach.",
		takesFlows: true,
		extensionsAreCallflows: true,
		// Since 4.2, POST waits for the phone and says why it didn't ring; versions before only have GET.
		quickcallMethods: ['POST', 'GET'],
		picksUpByDefault: true,
	},
} as const satisfies Record<string, Dialect>;
