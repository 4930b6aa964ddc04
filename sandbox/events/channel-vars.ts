import { stableId } from '../model/ids';
import { PRESENCE, placeOf, type EventContext, type Presence } from './context';

/** One key of Custom-Channel-Vars (§6). A value of `undefined` leaves the key out. */
export interface VarRow {
	key: string;
	presence: Presence;
	/** What else must hold, in words for the docs. */
	condition?: string;
	value: (context: EventContext) => string | undefined;
}

const RESELLER = stableId('sandbox', 'reseller');

function bridgeId(context: EventContext): string | undefined {
	const hidden = !context.settings.bridge_id_on_create && placeOf(context) === 'create:inbound';
	return hidden ? undefined : context.call.first.callId;
}

const isInside = ({ call }: EventContext): boolean => call.first.device !== undefined;
const ofDevice = 'legs of devices';

/** The keys of §6; which of them appear where is not fixed there, this is the sandbox's choice. */
export const CHANNEL_VARS: VarRow[] = [
	{ key: 'Account-ID', presence: 'all', value: ({ call }) => call.account.id },
	{
		key: 'Username',
		presence: 'all',
		condition: ofDevice,
		value: ({ leg }) => leg.device?.username,
	},
	{ key: 'Realm', presence: 'all', value: ({ call }) => call.account.realm },
	{
		key: 'Owner-ID',
		presence: 'all',
		condition: ofDevice,
		value: ({ leg }) => leg.device?.ownerId,
	},
	{
		key: 'Authorizing-ID',
		presence: 'all',
		condition: ofDevice,
		value: ({ leg }) => leg.device?.id,
	},
	{
		key: 'Inception',
		presence: 'all',
		condition: 'calls from outside',
		value: (context) =>
			isInside(context) ? undefined : `${context.call.order.to}@carrier.sandbox.local`,
	},
	{ key: 'Callmgr-Node', presence: 'all', value: () => 'callmgr@sandbox.local' },
	{
		key: 'Bridge-ID',
		presence: 'all',
		condition: 'on create of the inbound leg, see the setting `bridge_id_on_create`',
		value: bridgeId,
	},
	{ key: 'Channel-Authorized', presence: 'inbound leg, answer, destroy', value: () => 'true' },
	{
		key: 'Originator-Type',
		presence: 'inbound leg',
		value: (context) => (isInside(context) ? 'device' : 'resource'),
	},
	{ key: 'Fetch-ID', presence: 'all', value: ({ leg }) => leg.fetchId },
	{ key: 'Reseller-Billing', presence: 'answer, destroy', value: () => 'limits_disabled' },
	{ key: 'Reseller-ID', presence: 'answer, destroy', value: () => RESELLER },
	{ key: 'Account-Billing', presence: 'answer, destroy', value: () => 'limits_disabled' },
	{
		key: 'Global-Resource',
		presence: 'all',
		condition: '`true` on legs of the outside network, else `false`',
		value: ({ leg }) => String(!leg.device),
	},
];

/** Gives the Custom-Channel-Vars of an event, all values strings (§6). */
export function channelVars(context: EventContext): Record<string, string> {
	const place = placeOf(context);
	const vars: Record<string, string> = {};
	for (const { key, presence, value } of CHANNEL_VARS) {
		if (!(PRESENCE[presence] as readonly string[]).includes(place)) continue;
		const text = value(context);
		if (text !== undefined) vars[key] = text;
	}
	return vars;
}
