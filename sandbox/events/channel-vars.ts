import { stableId } from '../model/ids';
import { PRESENCE, placeOf, type EventContext, type Presence } from './context';

/** One key of Custom-Channel-Vars (§6). A value of `undefined` leaves the key out. */
export interface VarRow {
	key: string;
	presence: Presence;
	value: (context: EventContext) => string | undefined;
}

const RESELLER = stableId('sandbox', 'reseller');

const isInside = ({ call }: EventContext): boolean => call.first.device !== undefined;

const row = (key: string, presence: Presence, value: VarRow['value']): VarRow => ({
	key,
	presence,
	value,
});

/** The keys of §6. The contract doesn't say which appear where: this is the sandbox's choice. */
const CHANNEL_VARS: VarRow[] = [
	row('Account-ID', 'all', ({ call }) => call.account.id),
	row('Username', 'all', ({ leg }) => leg.device?.username),
	row('Realm', 'all', ({ call }) => call.account.realm),
	row('Owner-ID', 'all', ({ leg }) => leg.device?.ownerId),
	row('Authorizing-ID', 'all', ({ leg }) => leg.device?.id),
	{
		key: 'Inception',
		presence: 'all',
		value: (context) =>
			isInside(context) ? undefined : `${context.call.order.to}@carrier.sandbox.local`,
	},
	row('Callmgr-Node', 'all', () => 'callmgr@sandbox.local'),
	row('Bridge-ID', 'all', ({ call }) => call.first.callId),
	row('Channel-Authorized', 'inbound leg, answer, destroy', () => 'true'),
	row('Originator-Type', 'inbound leg', (context) => (isInside(context) ? 'device' : 'resource')),
	row('Fetch-ID', 'all', ({ leg }) => leg.fetchId),
	row('Reseller-Billing', 'answer, destroy', () => 'limits_disabled'),
	row('Reseller-ID', 'answer, destroy', () => RESELLER),
	row('Account-Billing', 'answer, destroy', () => 'limits_disabled'),
	row('Global-Resource', 'all', ({ leg }) => String(!leg.device && leg.role !== 'loopback')),
];

/** Returns the Custom-Channel-Vars of an event, all values strings (§6). */
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
