import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { readCountryChoice } from '../../fields/country';
import { settingError } from '../../fields/inputs';
import { isReservedName } from '../../events/reserved';
import type { LegMode } from '../../events/parse';
import { isSecretKey } from '../../events/secret';
import type { NumberMatch } from '../../values/numbers';
import type { Outcome } from '../../values/outcome';
import { EVENTS } from '../../events/table';
import type { EventValue } from '../../events/table';
import {
	readCausesFilter,
	readInternalFilter,
	readNumberFilters,
	readOutcomesFilter,
} from '../../fields/callFilters';
import { isObject, isOn } from '../../values/json';
import { readWatchSettings } from '../watching';
import type { WatchSettings } from '../watching';

/** What else must hold for an event to start the workflow; what is left out does not filter. */
export interface EventFilters {
	/** Either end of the call. */
	number?: NumberMatch | undefined;
	from?: NumberMatch | undefined;
	to?: NumberMatch | undefined;
	direction?: 'inbound' | 'outbound' | undefined;
	internal?: 'exclude' | 'only' | undefined;
	/** In capitals; for ended calls. */
	causes?: readonly string[] | undefined;
	/** For ended calls. */
	outcomes?: readonly Outcome[] | undefined;
	/** For ended calls, but never for missed ones, which have no talk. */
	minTalkSeconds?: number | undefined;
}

/** Which events the user wants. */
export interface Selection {
	events: readonly EventValue[];
	legs: LegMode;
	filters: EventFilters;
	/** Calls that only the exchange itself answered, such as a mailbox, count as missed, too. */
	exchangeIsMissed?: boolean;
	/** Calls that colleagues placed count as missed, too. */
	outgoingIsMissed?: boolean;
}

/** The parameters of the event trigger, checked. */
export interface Settings extends Selection, WatchSettings {
	simplify: boolean;
	dropRepeats: boolean;
	customData: IDataObject;
	retries: number;
	skipUrlCheck: boolean;
	/** Whether each check calls the trigger at its own address. */
	pingsItself: boolean;
	/** In whose form numbers come; undefined to keep them as they are. */
	country?: string | undefined;
}

type Context = IHookFunctions | IWebhookFunctions;

/**
 * Reads the trigger's parameters.
 *
 * @param credentialCountry the country of the credential, for a node that follows it
 * @throws NodeOperationError that names the parameter
 */
export function readSettings(context: Context, credentialCountry?: string): Settings {
	const parameter = (name: string, fallback: unknown): unknown =>
		context.getNodeParameter(name, fallback as string) as unknown;
	const options = objectOr(parameter('options', {}));
	const choice = readCountryChoice(context, options.country);
	const country = choice === 'credential' ? credentialCountry : choice.code;
	return {
		country,
		events: readEvents(context, parameter('events', ['ended'])),
		legs: readLegs(context, parameter('legs', 'oncePerCall')),
		simplify: isOn(parameter('simplify', true)),
		dropRepeats: isOn(parameter('dropRepeats', true)),
		filters: readFilters(context, objectOr(parameter('filters', {})), country),
		exchangeIsMissed: isOn(options.exchangeIsMissed ?? false),
		outgoingIsMissed: isOn(options.outgoingIsMissed ?? false),
		customData: readCustomData(context, options.customData ?? {}),
		retries: readNumber(context, 'Retries', options.retries ?? 2, { min: 1, max: 4 }),
		skipUrlCheck: isOn(options.skipUrlCheck ?? false),
		...readWatchSettings(context, options),
		pingsItself: isOn(options.pingsItself ?? true),
	};
}

/** Tells whether deliveries must carry the secret; known before everything else, whatever is wrong with the rest. */
export function verifies(context: Context): boolean {
	return isOn((context as IHookFunctions).getNodeParameter('verifyDeliveries', true));
}

function readEvents(context: Context, value: unknown): EventValue[] {
	const given = (Array.isArray(value) ? value : String(value ?? '').split(',')).map((entry) =>
		String(entry).trim(),
	);
	const known = EVENTS.map((row) => row.value);
	const unknown = given.find((entry) => entry !== '' && !known.includes(entry as EventValue));
	if (unknown !== undefined) {
		throw settingError(
			context,
			`Events: "${unknown}" is not known`,
			`Use one or more of ${known.join(', ')}.`,
		);
	}
	const events = known.filter((entry) => given.includes(entry));
	if (events.length > 0) return events;
	throw settingError(
		context,
		'Events is empty',
		'Choose at least one event that starts the workflow.',
	);
}

function readLegs(context: Context, value: unknown): LegMode {
	const modes: LegMode[] = ['oncePerCall', 'everyLeg', 'inbound', 'outbound'];
	const mode = modes.find((entry) => entry === value);
	if (mode) return mode;
	throw settingError(
		context,
		`Legs: "${String(value)}" is not known`,
		`Use one of ${modes.join(', ')}.`,
	);
}

function readFilters(
	context: Context,
	given: IDataObject,
	country: string | undefined,
): EventFilters {
	if (Object.keys(given).length === 0) return {};
	return {
		...readNumberFilters(context, given, country),
		direction:
			given.direction === 'inbound' || given.direction === 'outbound' ? given.direction : undefined,
		internal: readInternalFilter(given),
		causes: readCausesFilter(given),
		outcomes: readOutcomesFilter(context, given),
		minTalkSeconds: readNumber(context, 'Minimum Talk Time', given.minTalkSeconds ?? 0, {
			min: 0,
			max: Infinity,
		}),
	};
}

function readCustomData(context: Context, value: unknown): IDataObject {
	const data = typeof value === 'string' ? parse(value) : value;
	if (!isObject(data)) {
		throw settingError(
			context,
			'Custom Data is not a JSON object',
			'Enter an object such as {"office": "Riga"}, or remove the option.',
		);
	}
	return data;
}

/** The custom data under names that events have, too; a workflow of an earlier version may have such names. */
export function reservedIn({ customData }: Settings): IDataObject {
	const reserved = Object.entries(customData).filter(
		([key]) => isReservedName(key) || isSecretKey(key),
	);
	return Object.fromEntries(reserved);
}

/**
 * Refuses custom data that would overwrite fields of events (§2.5).
 *
 * @throws NodeOperationError that names the key
 */
export function refuseReserved(context: Context, settings: Settings): void {
	const [taken] = Object.keys(reservedIn(settings));
	if (taken === undefined) return;
	throw settingError(
		context,
		`Custom Data must not contain the key "${taken}"`,
		'The PBX may add custom data to the event, where this key already has a meaning. Use another name.',
	);
}

function readNumber(
	context: Context,
	label: string,
	value: unknown,
	{ min, max }: { min: number; max: number },
): number {
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = isText || typeof value === 'number' ? Number(value) : Number.NaN;
	if (
		Number.isFinite(number) &&
		number >= min &&
		number <= max &&
		(max === Infinity || Number.isInteger(number))
	) {
		return number;
	}
	const range =
		max === Infinity ? `a number of at least ${min}` : `a whole number from ${min} to ${max}`;
	throw settingError(context, `${label} must be ${range}`, `Correct ${label} in this node.`);
}

function objectOr(value: unknown): IDataObject {
	return isObject(value) ? value : {};
}

function parse(text: string): unknown {
	if (text.trim() === '') return {};
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Tells whether "Execute step" is to get samples instead of waiting for a call. */
export function isSampling(context: IHookFunctions | IWebhookFunctions): boolean {
	if (context.getMode() !== 'manual') return false;
	const options: unknown = context.getNodeParameter('options', {});
	return isObject(options) && isOn(options.sampleEvents);
}
