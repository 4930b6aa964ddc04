import type { IDataObject } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';

import { asText, findFlaw, isObject } from '../../util/json';
import type { Party } from '../../util/party';
import { readParty, visibleName } from '../../util/party';

/** A routing request as received. */
export interface RoutingRequest {
	method: string;
	query: IDataObject;
	/** The parsed body; undefined or empty for GET. */
	body: unknown;
}

/** The names that platforms use for a value, compared without case, hyphens, and underscores. */
const NAMES = {
	callId: ['callid', 'callsid', 'uniqueid'],
	from: ['from', 'fromuri', 'caller', 'src', 'ani'],
	to: ['to', 'touri', 'called', 'dst', 'dnis'],
	request: ['request', 'requesturi'],
	callerNumber: ['calleridnumber', 'callernumber'],
	callerName: ['calleridname', 'callername'],
	direction: ['direction', 'calldirection'],
	accountId: ['accountid'],
	callflowId: ['callflowid'],
} as const;

/** Returns what no PBX sends in a request, and would break other code; undefined for any other request. */
export function flawOf({ query, body }: RoutingRequest): string | undefined {
	return findFlaw({ query, body: typeof body === 'string' ? parsedBody(body) : body });
}

/** Collects a routing request's parameters from query and body, under any name: the contract doesn't show them. */
export function requestParameters({ query, body }: RoutingRequest): IDataObject {
	const parsed = typeof body === 'string' ? parsedBody(body) : body;
	const [only, second]: unknown[] = Array.isArray(parsed) ? parsed.slice(0, 2) : [parsed];
	const fields = isObject(only) && second === undefined ? only : {};
	const envelopes = ['data', 'args'].filter((name) => isObject(fields[name]));
	const inner = envelopes.map((name) => fields[name] as IDataObject);
	const around = envelopes.length === 0 ? fields : without(fields, envelopes);
	return Object.assign({}, query, ...inner, around) as IDataObject;
}

function without(fields: IDataObject, names: readonly string[]): IDataObject {
	return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/**
 * Simplifies a routing request: who calls whom, named as in events and records, with each number free of its SIP
 * address. `details` has the originals, the IDs, and everything else unchanged under `parameters`. Fields that the
 * platform doesn't send are `null`.
 */
export function simplifyRequest(request: RoutingRequest): IDataObject {
	const parameters = requestParameters(request);
	const spelled = knownKeysOf(parameters);
	const take = (names: readonly string[]) => {
		for (const name of names) {
			for (const key of spelled.get(name) ?? []) {
				const text = asText(parameters[key]);
				if (text === undefined) continue;
				delete parameters[key];
				return text;
			}
		}
		return null;
	};
	const found = Object.fromEntries(
		Object.entries(NAMES).map(([field, names]) => [field, take(names)]),
	) as Record<keyof typeof NAMES, string | null>;
	const callerName = visibleName(found.callerName ?? undefined) ?? null;
	return {
		direction: found.direction,
		from: firstNumber(found.from, found.callerNumber),
		fromName: callerName ?? partyIn([found.from, found.callerNumber])?.name ?? null,
		to: firstNumber(found.to, found.request),
		callId: found.callId,
		details: {
			callerNumber: firstNumber(found.callerNumber, found.from),
			callerName,
			fromUri: found.from,
			toUri: found.to,
			requestUri: found.request,
			accountId: found.accountId,
			callflowId: found.callflowId,
			parameters,
		},
	};
}

const KNOWN = new Set<string>(Object.values(NAMES).flat());

/** Returns a request's known keys by plain name. One pass, since there can be thousands of keys. */
function knownKeysOf(parameters: IDataObject): Map<string, string[]> {
	const known = new Map<string, string[]>();
	for (const key of Object.keys(parameters)) {
		const name = key.toLowerCase().replace(/[-_\s]/g, '');
		if (!KNOWN.has(name)) continue;
		const keys = known.get(name);
		if (keys) keys.push(key);
		else known.set(name, [key]);
	}
	return known;
}

/** Returns the number in the first text that contains one. */
function firstNumber(...texts: Array<string | null>): string | null {
	return partyIn(texts)?.number ?? null;
}

/** Returns the first text with a number, or else the first with any party, such as a SIP user. */
function partyIn(texts: Array<string | null>): Party | undefined {
	const parties = texts.map((text) => readParty(text ?? '')).filter(({ number }) => number !== '');
	return parties.find(({ number }) => /^\+?\d+$/.test(number)) ?? parties[0];
}

/** Parses a text as JSON, or else as a form. */
function parsedBody(text: string): unknown {
	const form = text.includes('=') ? Object.fromEntries(new URLSearchParams(text)) : {};
	return jsonParse<unknown>(text, { fallbackValue: form });
}
