import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../values/json';
import type { Party } from '../values/numbers';
import { readParty } from '../values/numbers';

/** A routing request as it came. */
export interface RoutingRequest {
	method: string;
	query: IDataObject;
	/** The parsed body; undefined or empty for GET. */
	body: unknown;
}

/** The names of values that are seen in the field, as they are without case, hyphens and underscores. */
const NAMES = {
	callId: 'callid',
	from: 'from',
	to: 'to',
	request: 'request',
	callerNumber: 'calleridnumber',
	callerName: 'calleridname',
	direction: 'direction',
	accountId: 'accountid',
	callflowId: 'callflowid',
} as const;

/** Collects the parameters of a routing request, which the contract does not show: those of the query and of the body. */
export function requestParameters({ query, body }: RoutingRequest): IDataObject {
	const parsed = typeof body === 'string' ? parse(body) : body;
	return { ...query, ...(isObject(parsed) ? parsed : {}) };
}

/**
 * Simplifies a routing request: who calls whom, in the words of events and records, each number without its SIP address; in
 * `details` the originals, the IDs, and everything else under `parameters`. `null` for what the platform does not send.
 */
export function simplifyRequest(request: RoutingRequest): IDataObject {
	const rest = new Map(Object.entries(requestParameters(request)));
	const take = (name: string) => {
		const isMeant = (key: string) => key.toLowerCase().replace(/[-_\s]/g, '') === name;
		const [key, value] =
			[...rest].find(([one, given]) => isMeant(one) && asText(given) !== undefined) ?? [];
		if (key !== undefined) rest.delete(key);
		return asText(value) ?? null;
	};
	const found = Object.fromEntries(
		Object.entries(NAMES).map(([field, name]) => [field, take(name)]),
	) as Record<keyof typeof NAMES, string | null>;
	return {
		direction: found.direction,
		from: numberIn(found.from, found.callerNumber),
		fromName: found.callerName ?? nameIn(found.from, found.callerNumber),
		to: numberIn(found.to, found.request),
		callId: found.callId,
		details: {
			callerNumber: numberIn(found.callerNumber, found.from),
			callerName: found.callerName,
			fromUri: found.from,
			toUri: found.to,
			requestUri: found.request,
			accountId: found.accountId,
			callflowId: found.callflowId,
			parameters: Object.fromEntries(rest) as IDataObject,
		},
	};
}

/** The number in the first of some texts that names one. */
function numberIn(...texts: Array<string | null>): string | null {
	return partyIn(texts)?.number ?? null;
}

function nameIn(...texts: Array<string | null>): string | null {
	return partyIn(texts)?.name ?? null;
}

function partyIn(texts: Array<string | null>): Party | undefined {
	return texts.map((text) => readParty(text ?? '')).find(({ number }) => number !== '');
}

/** Reads a text as JSON, or else as a form. */
function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text.includes('=') ? Object.fromEntries(new URLSearchParams(text)) : undefined;
	}
}
