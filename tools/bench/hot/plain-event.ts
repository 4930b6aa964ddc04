import { timingSafeEqual } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { MARK_NAME } from '../../../nodes/VirtualPbx/events/secret';
import { hangupWords } from '../../../nodes/VirtualPbx/values/hangupCause';
import { GREGORIAN_OFFSET, toIso } from '../../../nodes/VirtualPbx/values/time';

/**
 * Reads, verifies and simplifies the end of an inbound call's first leg with as little code as can be: one spelling of
 * each field, one place of the secret, and no thought of anything else. It fails on nearly all that our nodes take.
 *
 * @throws when the secret is another
 */
export function readPlainly(body: unknown, secret: Buffer): IDataObject {
	const { args } = body as { args: Record<string, string> };
	const vars = args['Custom-Channel-Vars'] as unknown as Record<string, string>;
	const custom = args.custom_data as unknown as Record<string, string>;
	if (!timingSafeEqual(Buffer.from(custom[MARK_NAME] ?? ''), secret)) throw new Error('Another');
	const at = (Number(args.Timestamp) - GREGORIAN_OFFSET) * 1000;
	const cause = args['Hangup-Cause'] ?? '';
	return {
		event: 'ended',
		callId: args['Call-ID'],
		bridgeId: vars['Bridge-ID'],
		leg: 'first',
		direction: args['Call-Direction'],
		from: args['Caller-ID-Number'],
		fromName: args['Caller-ID-Name'],
		to: args['To-Uri']?.slice(4).split('@')[0],
		toName: args['Callee-ID-Name'] ?? null,
		internal: false,
		state: args['Answer-State'],
		answered: Number(args['Billing-Seconds']) > 0,
		answeredByExchange: args['Other-Leg-Call-ID'] === undefined,
		answeredElsewhere: false,
		missed: false,
		at: toIso(at),
		startedAt: toIso(at - Number(args['Duration-Seconds']) * 1000),
		timestamp: Number(args.Timestamp),
		ringingSeconds: Number(args['Ringing-Seconds']),
		billingSeconds: Number(args['Billing-Seconds']),
		durationSeconds: Number(args['Duration-Seconds']),
		hangupCause: cause,
		hangupCode: Number(args['Hangup-Code']?.slice(4)),
		hangupReason: hangupWords(cause),
		otherLegCallId: args['Other-Leg-Call-ID'] ?? null,
		accountId: vars['Account-ID'],
		ownerId: vars['Owner-ID'] ?? null,
		deviceId: vars['Authorizing-ID'] ?? null,
		employee: null,
		messageId: args['Msg-ID'],
		customData: {},
	};
}
