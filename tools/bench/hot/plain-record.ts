import type { IDataObject } from 'n8n-workflow';
import { hangupWords } from '../../../nodes/VirtualPbx/values/hangupCause';
import { GREGORIAN_OFFSET, toIso } from '../../../nodes/VirtualPbx/values/time';

/**
 * Makes a call record readable with as little code as can be: fields in capitals that are all there, SIP URIs of one
 * form, and a recording whose address is the link with the file behind it.
 */
export function convertPlainly(record: IDataObject): IDataObject {
	const {
		CALL_DIRECTION: direction,
		BRIDGE_ID: bridgeId,
		CALLEE_ID_NUMBER: toUri,
		CALLER_ID_NUMBER: fromUri,
		TIMESTAMP: timestamp,
		BILLING_SECONDS: seconds,
		HANGUP_CAUSE: hangupCause,
		ACCOUNT_ID: accountId,
		REC_FILE: recordingFile,
		REC_LINK: link,
	} = record as Record<string, string>;
	const numberIn = (uri = '') => uri.slice(4, uri.indexOf('@'));
	return {
		at: toIso((Number(timestamp) - GREGORIAN_OFFSET) * 1000),
		direction,
		from: numberIn(fromUri),
		fromName: null,
		to: numberIn(toUri),
		toName: null,
		billingSeconds: Number(seconds),
		hangupCause,
		hangupReason: hangupWords(hangupCause ?? ''),
		recordingUrl: recordingFile ? `${link}${recordingFile}` : null,
		recordingFile: recordingFile || null,
		bridgeId,
		fromUri,
		toUri,
		timestamp,
		accountId,
	};
}
