import { asText, isObject } from '../util/json';
import type { Requester } from './types';
import type { Device } from './employees';
import { documentOf } from './documents';
import type { ErrorDetails } from './errors/pbxError';
import { PbxError } from './errors/pbxError';

/** The phones that a call starts from. */
export interface Phones {
	/** The path of one device, or of a user with several. */
	at: readonly ['devices' | 'users', string];
	extension: string | undefined;
	name: string | undefined;
	devices: readonly Device[];
}

/** A call to start. */
export interface CallOrder {
	phones: Phones;
	number: string;
	/** The number to show to the other end. */
	callerId: string | undefined;
	autoAnswer: boolean;
}

export interface StartedCall {
	/** The ID of the call, which is that of the phone's leg; undefined if the PBX doesn't return it. */
	callId: string | undefined;
}

/**
 * Starts a call (`quickcall`): the PBX rings the phones, and then calls the number. Each request is sent once, since a
 * second one would ring again. Throws PbxError.
 */
export async function startCall(pbx: Requester, order: CallOrder): Promise<StartedCall> {
	const { phones, number, ...settings } = order;
	const { methods, query } = pbx.dialect.clickToCall;
	const path = [...phones.at, 'quickcall', number];
	for (const [index, method] of methods.entries()) {
		try {
			const request = { method, path, query: query(settings), isOnce: true };
			return { callId: callIdIn(await pbx.send(request)) };
		} catch (error) {
			const isUnknown = error instanceof PbxError && error.status === 405;
			if (!isUnknown || index === methods.length - 1) throw failedCall(error, order);
		}
	}
	throw notOffered();
}

/** A Kazoo returns the ID with POST; with GET, it chooses one for each phone before it rings. */
function callIdIn(response: unknown): string | undefined {
	const { call_id: callId, endpoints } = documentOf(response) ?? {};
	const [phone, ...others] = Array.isArray(endpoints) ? endpoints.filter(isObject) : [];
	return asText(callId) ?? (others.length === 0 ? asText(phone?.outbound_call_id) : undefined);
}

/** Returns the error for a PBX without click to call. */
export function notOffered(error?: PbxError): PbxError {
	return new PbxError({
		kind: 'unsent',
		reason: "Your PBX doesn't offer click to call",
		hint: `It has no ${error?.request?.path.includes('quickcall') ? 'quickcall' : 'devices'} in its API${error?.status === undefined ? '' : ` (status ${error.status})`}. Ask your provider for \`devices\`, \`users\`, and \`quickcall\`. If you entered an account ID, check that as well.`,
	});
}

/** The result of ringing the phone, by the hang-up cause (seen in Kazoo's answers to POST). */
const PHONE: Record<string, string> = {
	CALL_REJECTED: 'declined the call',
	DESTINATION_OUT_OF_ORDER: "isn't connected to the PBX",
	NO_ANSWER: "wasn't picked up",
	NO_USER_RESPONSE: "didn't respond",
	SUBSCRIBER_ABSENT: "isn't connected to the PBX",
	UNALLOCATED_NUMBER: "isn't connected to the PBX",
	USER_BUSY: 'is busy',
	USER_NOT_REGISTERED: "isn't connected to the PBX",
};

/** Explains why a call couldn't be started, and whether its phone might ring anyway. */
function failedCall(error: unknown, { phones, number }: CallOrder): unknown {
	if (!(error instanceof PbxError) || !error.request || error.kind === 'cancelled') return error;
	const { details, request, kind } = error;
	if (error.isUnknownPath)
		return phones.at[0] === 'users' ? notTogether(phones) : notOffered(error);
	const phone = PHONE[details.hangupCause ?? ''];
	const { headline, hint } = wordsFor(details, phone, `from ${ownerOf(phones)} to ${number}`);
	const failure = new PbxError(
		{ ...details, complaints: [], hint },
		kind === 'status' ? { ...request, headline } : request,
	);
	return error.mayHaveActed && !phone
		? failure.advise({ before: 'The phone might ring anyway: check before you run this again.' })
		: failure;
}

function ownerOf({ at, extension, name, devices }: Phones): string {
	return extension ?? name ?? devices[0]?.name ?? at[1];
}

function wordsFor(details: ErrorDetails, phone: string | undefined, call: string) {
	const { status = 0, complaints = [], hint = '' } = details;
	if (status === 401 || status === 403)
		return {
			headline: "The PBX doesn't allow this user to start calls",
			hint: "Ask your provider to allow `quickcall` for the credential's user. If the login has just changed, run again.",
		};
	const headline = `The call ${call} couldn't be started`;
	if (phone)
		return { headline: `${headline}: the phone ${phone}`, hint: 'Check the phone, and run again.' };
	const said = status === 400 ? complaints.map(({ message }) => message).join('; ') : '';
	return { headline: said ? `${headline}: ${said}` : headline, hint };
}

/** Returns the error for a PBX that has `quickcall` for devices only. */
function notTogether({ devices }: Phones): PbxError {
	const names = devices.map(({ id, name }) => (name === undefined ? id : `${name} (${id})`));
	return new PbxError({
		kind: 'unsent',
		reason: "Your PBX doesn't offer click to call for several phones at once",
		hint: `Choose one by its device ID: ${names.join(', ')}.`,
	});
}
