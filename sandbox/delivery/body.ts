import type { Settings } from '../model/settings';
import type { CallEvent, Webhook } from '../model/types';
import { flatEvent, stockEvent } from './flat';
import { formEncode } from './form';

function fieldsOf(event: CallEvent, { profile, channel_vars: hasVars }: Settings) {
	if (profile === 'kazoo') return stockEvent(event, hasVars);
	return profile === 'field' ? flatEvent(event) : event.args;
}

/** Adds the webhook's `custom_data` to the event, placed as in the settings (§2.5). */
export function shapeEvent(event: CallEvent, webhook: Webhook, settings: Settings): object {
	const { custom_data_placement: placement, profile } = settings;
	const isFlat = profile !== 'contract';
	const custom = webhook.custom_data;
	const intoArgs = placement === 'args' || (placement === 'top' && isFlat);
	const fields = fieldsOf(event, settings);
	const args = custom && intoArgs ? { ...fields, ...custom } : fields;
	const outer = isFlat ? args : { name: event.name, args };
	if (!custom || intoArgs || placement === 'none') return outer;
	return placement === 'top' ? { ...outer, ...custom } : { ...outer, custom_data: custom };
}

/** One delivery as sent over the wire. */
export interface Wire {
	method: string;
	url: string;
	headers: Record<string, string>;
	body: string;
}

const USER_AGENT = 'virtual-pbx-sandbox';

/** Encodes an event for a webhook: JSON or form in the body, or a query for verb `get`. */
export function encode(
	shaped: object,
	webhook: Webhook,
	settings: Settings,
	accountId: string,
): Wire {
	const method = webhook.http_verb.toUpperCase();
	const own = { 'x-hook-id': webhook.id, 'x-account-id': accountId };
	const headers = {
		'user-agent': USER_AGENT,
		...(settings.profile === 'kazoo' ? own : {}),
	};
	if (method === 'GET') {
		const joint = webhook.uri.includes('?') ? '&' : '?';
		return { method, url: `${webhook.uri}${joint}${formEncode(shaped)}`, headers, body: '' };
	}
	const isForm = settings.profile !== 'contract' && webhook.format !== 'json';
	const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
	const body = isForm ? formEncode(shaped) : JSON.stringify(shaped);
	return { method, url: webhook.uri, headers: { ...headers, 'content-type': type }, body };
}
