import type { CdrFilter } from '../types';

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

/** Returns how to filter Kazoo's call records by a field (field-facts §7, §8); undefined if they don't have it. */
export function kazooCdrFilter(field: string): CdrFilter | undefined {
	const name = field.toLowerCase();
	if (VARIABLES.test(name)) return { filter: name.replaceAll('-', '_') };
	const renamed = RENAMED[name];
	if (renamed !== undefined || STORED.has(name)) return { filter: renamed ?? name };
	return LISTED.has(name) ? { listed: name } : undefined;
}
