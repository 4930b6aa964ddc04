import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { asText, isObject, isOn, percentDecoded } from '../../util/json';
import type { End } from '../../util/party';
import { nameBeside, readCaller, readEnd } from '../../util/party';
import { numberToUnixMs } from '../../util/time';
import { DEFAULT_CALL_SETTINGS } from '../credential';
import type { Direction, LegOrigin } from '../legOrigin';
import { originIn, saysMachine } from '../legOrigin';
import type { CallSettings, Dialect } from '../types';

/** The fields of a CDR in the contract's order (§2.4). */
export const CDR_FIELDS = [
	'CALL_DIRECTION',
	'BRIDGE_ID',
	'CALLEE_ID_NUMBER',
	'CALLER_ID_NUMBER',
	'TIMESTAMP',
	'BILLING_SECONDS',
	'HANGUP_CAUSE',
	'ACCOUNT_ID',
	'REC_FILE',
	'REC_LINK',
] as const;

type CdrField = (typeof CDR_FIELDS)[number];

/** Fields that only some platforms have. */
const OTHER_FIELDS = [
	'CALL_ID',
	'OTHER_LEG_CALL_ID',
	'DURATION_SECONDS',
	'CALLEE_ID_NAME',
	'CALLER_ID_NAME',
	'AUTHORIZING_ID',
	'AUTHORIZING_TYPE',
	'OWNER_ID',
	'INCEPTION',
	'GLOBAL_RESOURCE',
	'EMERGENCY_RESOURCE_USED',
	'IS_INTERNAL_LEG',
] as const;

type AnyField = CdrField | (typeof OTHER_FIELDS)[number];

/** Names in lower case, which some platforms use, made once. */
const LOWER_CASE = Object.fromEntries(
	[...CDR_FIELDS, ...OTHER_FIELDS].map((name) => [name, name.toLowerCase()]),
) as Record<AnyField, string>;

/** Names of channel variables, such as `Authorizing-ID`. */
const VARIABLE_NAMES = Object.fromEntries(
	OTHER_FIELDS.map((name) => [
		name,
		name
			.split('_')
			.map((word) => (word === 'ID' ? word : word.charAt(0) + word.slice(1).toLowerCase()))
			.join('-'),
	]),
) as Record<AnyField, string>;

/** Stock platforms' names for the contract's fields (seen in the field). */
const STOCK_NAMES: Partial<Record<CdrField, readonly string[]>> = {
	CALL_DIRECTION: ['direction'],
	CALLEE_ID_NUMBER: ['dialed_number', 'to'],
};

const RECORDING = /^(?:rec_(?:file|link)|recording_url|media_recordings)$/i;
const IDENTITY = CDR_FIELDS.filter((field) => !RECORDING.test(field));

/** A time range in Gregorian seconds (§4.3); an open end is undefined. */
export interface Range {
	from?: number | undefined;
	to?: number | undefined;
}

export interface CdrRecording {
	/** Its file name, or its ID on a platform whose records hold IDs. */
	file: string;
	address: string;
}

/** Everything that reading a record depends on, besides the record. */
export interface CdrSource {
	dialect: Pick<Dialect, 'stampsBegin'>;
	calls: CallSettings;
	/** Returns the address of a recording by its ID; undefined if the platform has no recordings by ID. */
	recordingAddress(id: string): string | undefined;
}

const CONTRACT: CdrSource = {
	dialect: { stampsBegin: false },
	calls: DEFAULT_CALL_SETTINGS,
	recordingAddress: () => undefined,
};

/**
 * A call record (CDR, §2.4): one leg of a call that has ended. Reads a field when asked, since a list can have 100,000
 * records. Fields are undefined if the PBX doesn't say.
 */
export class Cdr {
	/** `original` is the record as the PBX sent it. */
	constructor(
		readonly original: IDataObject,
		private readonly source: CdrSource = CONTRACT,
	) {}

	get settings(): CallSettings {
		return this.source.calls;
	}

	/** The leg's own Call-ID, and that of the leg it is connected with. */
	get callId(): string | undefined {
		return this.textIn('CALL_ID');
	}

	get otherCallId(): string | undefined {
		return this.textIn('OTHER_LEG_CALL_ID');
	}

	/** Identifies the call. */
	get bridgeId(): string | undefined {
		return this.text('BRIDGE_ID');
	}

	/** Undefined also for an unknown direction (§2.4). */
	get direction(): Direction | undefined {
		const direction = this.text('CALL_DIRECTION')?.trim().toLowerCase() ?? '';
		if (direction === 'inbound') return 'inbound';
		return direction.startsWith('out') ? 'outbound' : undefined;
	}

	get caller(): End | undefined {
		const given = this.original.CALLER_ID_NUMBER ?? this.original.caller_id_number;
		const text = typeof given === 'string' && given.trim() === '' ? '' : undefined;
		return this.end(readCaller(this.text('CALLER_ID_NUMBER') ?? text), 'CALLER_ID_NAME');
	}

	get callee(): End | undefined {
		return this.end(readEnd(this.text('CALLEE_ID_NUMBER')), 'CALLEE_ID_NAME');
	}

	/** The PBX's own fields on who placed the leg, on platforms that have them. */
	get origin(): LegOrigin {
		return originIn((name) => this.variable(name), this.direction);
	}

	/** Whether the leg only connects two parts of the switch, as loopback legs do. */
	get isInternalLeg(): boolean {
		return isOn(this.variable('IS_INTERNAL_LEG'));
	}

	/** Whether the record says that a fax or a conference took the leg. */
	get isForMachine(): boolean {
		return saysMachine(this.original);
	}

	/** The billed seconds. */
	get talkSeconds(): number | undefined {
		return this.seconds('BILLING_SECONDS');
	}

	/** How long the leg lasted at least, in seconds, including ringing if the PBX reports it; 0 if unknown. */
	get minDurationSeconds(): number {
		return Math.max(0, this.seconds('DURATION_SECONDS') ?? 0, this.talkSeconds ?? 0);
	}

	get hangupCause(): string | undefined {
		return this.text('HANGUP_CAUSE');
	}

	get accountId(): string | undefined {
		return this.text('ACCOUNT_ID');
	}

	/** TIMESTAMP as the PBX writes it. */
	get timestamp(): string | undefined {
		return this.text('TIMESTAMP');
	}

	/** TIMESTAMP in Unix milliseconds. */
	get stampedAt(): number | undefined {
		return numberToUnixMs(this.timestamp);
	}

	/** When the leg ended, in Unix milliseconds. */
	get endedAt(): number | undefined {
		const stamp = this.stampedAt;
		if (stamp === undefined || !this.source.dialect.stampsBegin) return stamp;
		return stamp + this.minDurationSeconds * 1000;
	}

	/** When the leg began, in Unix milliseconds, or later if the PBX doesn't say how long it rang. */
	get beganAt(): number | undefined {
		const end = this.endedAt;
		return end === undefined ? undefined : end - this.minDurationSeconds * 1000;
	}

	/**
	 * The recordings: the one at REC_LINK + REC_FILE (§2.4), or, on a Kazoo, those in `recording_url` and
	 * `media_recordings`, by address or ID.
	 */
	get recordings(): CdrRecording[] {
		const file = this.text('REC_FILE')?.trim() ?? '';
		if (file !== '' && !/^(null|none|undefined)$/i.test(file)) {
			const link = this.text('REC_LINK')?.trim() ?? '';
			return [{ file, address: link + encoded(file) }];
		}
		const { recording_url: url, media_recordings: media } = this.original;
		if (url === undefined && media === undefined) return [];
		const named = ([url, media].flat() as unknown[]).flatMap((one) => asText(one)?.trim() ?? []);
		return [...new Set(named)].flatMap((one): CdrRecording[] => {
			if (/^https?:\/\//i.test(one)) return [{ file: fileIn(one), address: one }];
			const address = one === '' ? undefined : this.source.recordingAddress(one);
			return address === undefined ? [] : [{ file: one, address }];
		});
	}

	/**
	 * Identifies the record, which has no ID in the contract (§2.4): by the contract's fields except the recording's,
	 * which a PBX can fill in later, and by the leg's call ID if there is one. Equal records share a key, so callers
	 * have to count them.
	 */
	get key(): string {
		const fields = IDENTITY.map((field) => this.text(field) ?? '');
		return shortHash(JSON.stringify([...fields, this.callId ?? '']));
	}

	/** All fields except the recording's as one text, equal for equal records regardless of field order. */
	get canonical(): string {
		const entries = Object.entries(this.original)
			.filter(([name]) => !RECORDING.test(name))
			.map(([name, value]) => [name.toLowerCase(), value] as const)
			.sort(([a], [b]) => (a < b ? -1 : 1));
		return JSON.stringify(entries);
	}

	/** Orders legs that ended together, the inbound one first. */
	get orderKey(): string {
		return JSON.stringify([...CDR_FIELDS.map((field) => this.text(field) ?? ''), this.canonical]);
	}

	/** Reads a field in upper or lower case or under its name on a stock platform; undefined if absent or empty. */
	private text(field: CdrField): string | undefined {
		const text = this.textIn(field);
		if (text !== undefined) return text;
		for (const name of STOCK_NAMES[field] ?? []) {
			const stock = asText(this.original[name]);
			if (stock !== undefined) return stock;
		}
		return undefined;
	}

	private textIn(name: AnyField): string | undefined {
		return asText(this.original[name]) ?? asText(this.original[LOWER_CASE[name]]);
	}

	/** Reads a field that can also be among the channel variables. Empty if the record has it without a value. */
	private variable(name: AnyField): string | undefined {
		const { original } = this;
		const own: unknown = original[name] ?? original[LOWER_CASE[name]];
		const held = original.custom_channel_vars ?? original.CUSTOM_CHANNEL_VARS;
		if (own === undefined && held === undefined) return undefined;
		const inner: unknown = isObject(held)
			? (held[VARIABLE_NAMES[name]] ?? held[LOWER_CASE[name]])
			: undefined;
		const value = own === undefined || own === null || own === '' ? (inner ?? own) : own;
		return value === undefined || value === null
			? undefined
			: String(value as string | number | boolean).trim();
	}

	/** Undefined if negative: some switches count wrong. */
	private seconds(name: AnyField): number | undefined {
		const seconds = Number(this.textIn(name)?.trim() || Number.NaN);
		return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
	}

	/** Stock platforms put the name in a field of its own. */
	private end(read: End | undefined, nameField: AnyField): End | undefined {
		return read && { ...read, name: read.name ?? nameBeside(read.number, this.textIn(nameField)) };
	}
}

/** Returns the last segment of an address's path, or the whole address if there is none. */
function fileIn(address: string): string {
	const [path = ''] = address.split(/[?#]/);
	return percentDecoded(path.split('/').pop() ?? '') || address;
}

/** Encodes the characters of a file name that would end the path of an address. */
function encoded(file: string): string {
	return file
		.replace(/%(?![\da-f]{2})/gi, '%25')
		.replace(/#/g, '%23')
		.replace(/\?/g, '%3F');
}

/** Returns 72 bits of a text's SHA-256, in 12 characters. */
export function shortHash(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
