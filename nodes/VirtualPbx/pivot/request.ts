import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../values/json';
import { numberOf } from '../values/numbers';

/** A routing request as it came. */
export interface RoutingRequest {
	method: string;
	query: IDataObject;
	/** The parsed body; undefined or empty for GET. */
	body: unknown;
}

/** The names under which platforms send a value; compared without case, hyphens and underscores. */
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

/**
 * Collects the parameters of a routing request: those of the query and of the body, be it JSON, a form, or JSON in an
 * object `data` or `args`. The contract does not show them, so any name is taken.
 */
export function requestParameters({ query, body }: RoutingRequest): IDataObject {
	const parsed = typeof body === 'string' ? parse(body) : body;
	const [only, second]: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
	const fields = isObject(only) && second === undefined ? { ...only } : {};
	const inner = ['data', 'args'].map((name) => {
		const value = fields[name];
		if (isObject(value)) delete fields[name];
		return isObject(value) ? value : {};
	});
	return Object.assign({}, query, ...inner, fields) as IDataObject;
}

/**
 * Simplifies a routing request: who calls whom, in stable names, each number without its SIP address, with the originals
 * beside them; `null` for what the platform does not send, and everything else untouched under `parameters`.
 */
export function simplifyRequest(request: RoutingRequest): IDataObject {
	const rest = new Map(Object.entries(requestParameters(request)));
	const take = (names: readonly string[]) => {
		for (const name of names) {
			for (const [key, value] of rest) {
				const text = key.toLowerCase().replace(/[-_\s]/g, '') === name ? asText(value) : undefined;
				if (text === undefined) continue;
				rest.delete(key);
				return text;
			}
		}
		return null;
	};
	const found = Object.fromEntries(
		Object.entries(NAMES).map(([field, names]) => [field, take(names)]),
	);
	const {
		callId,
		from,
		to,
		request: requestUri,
		callerNumber,
		callerName,
		direction,
		accountId,
		callflowId,
	} = found;
	return {
		callId: callId ?? null,
		from: numberIn(from) ?? numberIn(callerNumber),
		to: numberIn(to) ?? numberIn(requestUri),
		callerNumber: numberIn(callerNumber) ?? numberIn(from),
		callerName: callerName ?? null,
		direction: direction ?? null,
		accountId: accountId ?? null,
		callflowId: callflowId ?? null,
		fromUri: from ?? null,
		toUri: to ?? null,
		requestUri: requestUri ?? null,
		parameters: Object.fromEntries(rest) as IDataObject,
	};
}

function numberIn(value: string | null | undefined): string | null {
	if (!value) return null;
	return asText(numberOf(value)) ?? null;
}

/** Reads a text as JSON, or else as a form. */
function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text.includes('=') ? Object.fromEntries(new URLSearchParams(text)) : undefined;
	}
}
