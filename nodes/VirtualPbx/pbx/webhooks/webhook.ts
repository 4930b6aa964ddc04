import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../../util/json';
import { idIn } from '../documents';
import { findTags, findTagTexts } from '../events/webhookTag';
import type { Tag } from '../events/webhookTag';
import { MASK } from '../redact';

const MAX_METHOD = 20;
const MAX_REASON = 200;

/** A webhook (§2.5), from a list or in full. Fields are undefined if the PBX doesn't show them. */
export class Webhook {
	/** `original` is the webhook as the PBX sent it. */
	constructor(readonly original: IDataObject) {}

	/** A list can hold bare IDs. */
	get id(): string | undefined {
		return idIn(this.original) ?? asText(this.original.value);
	}

	get name(): string | undefined {
		return asText(this.original.name);
	}

	/** The address that it calls. */
	get uri(): string | undefined {
		const { uri } = this.original;
		return typeof uri === 'string' ? uri : undefined;
	}

	get hook(): string | undefined {
		return asText(this.original.hook);
	}

	get customData(): IDataObject {
		const { custom_data: data } = this.original;
		return isObject(data) ? data : {};
	}

	/** The tags of event triggers in its custom data. */
	get tags(): Tag[] {
		return findTags(this.original.custom_data);
	}

	/** Whether the PBX shows no custom data, or only that there is a tag. */
	get hidesTag(): boolean {
		const { custom_data: data } = this.original;
		if (data === undefined || data === null) return true;
		const texts = findTagTexts(data);
		return texts.length > 0 && texts.every((text) => MASKED.test(text));
	}

	/** The workflow in its name, as the event trigger writes it; undefined for other names. */
	get workflow(): string | undefined {
		return /^n8n: ?(.*) \([^()]*\)$/s.exec(this.name ?? '')?.[1];
	}

	/**
	 * Whether the PBX has disabled it, in any form that PBXs report it. An explicit switch decides: an enabled webhook
	 * can still show why it was disabled.
	 */
	get isDisabled(): boolean {
		const { enabled, disabled, active, status, state } = this.original;
		const isOn = [switchIn(enabled), not(switchIn(disabled)), switchIn(active)];
		const said = isOn.find((one) => one !== undefined);
		if (said !== undefined) return !said;
		const words = [status, state].map((word) => asText(word)?.trim() ?? '');
		return words.some((word) => OFF_WORDS.test(word)) || this.disableReason !== undefined;
	}

	/** Why the PBX disabled it, in the PBX's words. */
	get disableReason(): string | undefined {
		return asText(this.original.disable_reason)?.slice(0, MAX_REASON);
	}

	/**
	 * Whether it never sends anything: `retries` counts all tries, and at 0, many platforms send nothing.
	 */
	get makesNoAttempt(): boolean {
		const text = asText(this.original.retries)?.trim() ?? '';
		return text !== '' && Number(text) <= 0;
	}

	/**
	 * Describes a setting that keeps events from the event trigger, to follow the webhook's name: a method other than
	 * POST (in any case), or no delivery attempts, unless these prove nothing. Undefined if the PBX shows no such setting.
	 */
	misconfiguration({ ignoresRetries = false } = {}): string | undefined {
		const method = asText(this.original.http_verb)?.trim().toUpperCase() ?? '';
		if (method !== '' && method !== 'POST')
			return `was set to ${method.slice(0, MAX_METHOD)} instead of POST`;
		return this.makesNoAttempt && !ignoresRetries ? 'was set to 0 delivery attempts' : undefined;
	}

	/** Returns whether it calls an address, ignoring the host's case and a default port. */
	calls(url: string): boolean {
		const { uri } = this;
		if (uri === undefined || uri === url) return uri === url;
		return URL.canParse(uri) && URL.canParse(url) && new URL(uri).href === new URL(url).href;
	}
}

const MASKED = /^[^\p{L}\p{N}]*$|\*{3}/u;

const OFF_WORDS = /^(?:disabled|deactivated|suspended|inactive|paused|blocked|off)$/i;

function switchIn(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	const text = asText(value)?.trim() ?? '';
	if (/^(?:true|yes|on|1)$/i.test(text)) return true;
	return /^(?:false|no|off|0)$/i.test(text) ? false : undefined;
}

function not(value: boolean | undefined): boolean | undefined {
	return value === undefined ? undefined : !value;
}

/** The fields of a webhook to write. Undefined ones stay as they are. */
export interface WebhookInput {
	name?: string | undefined;
	uri?: string | undefined;
	/** The HTTP method of deliveries, in lower case. */
	method?: string | undefined;
	hook?: string | undefined;
	retries?: number | undefined;
	/** Merged by name. Masked values, such as from an earlier output, stay unchanged. */
	customData?: IDataObject | undefined;
}

const NAMES: Record<string, string> = { method: 'http_verb', customData: 'custom_data' };

/** Returns the fields to send to the PBX (§2.5), for a new webhook or one with custom data. */
export function fieldsToSend(input: WebhookInput, current: IDataObject = {}): IDataObject {
	const fields = Object.entries({ ...input, customData: merged(input, current) });
	const given = fields.filter(([, value]) => value !== undefined);
	return Object.fromEntries(given.map(([name, value]) => [NAMES[name] ?? name, value]));
}

function merged({ customData }: WebhookInput, current: IDataObject): IDataObject | undefined {
	if (customData === undefined) return undefined;
	const given = Object.entries(customData).filter(([, value]) => value !== MASK);
	return { ...current, ...Object.fromEntries(given) };
}
