import { Type, type Static, type StringOptions } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { oneOf } from '../model/schema';
import { SHOWN_LEGS } from '../model/settings';

const NUMBER = { pattern: '^[+*#0-9A-Za-z._-]+$', maxLength: 64 };
const EXTENSION = { pattern: '^\\d+$', maxLength: 10 };

const text = (description: string, limits: StringOptions = {}) =>
	Type.Optional(Type.String({ ...limits, description }));
const seconds = (fallback: number, description: string) =>
	Type.Number({ minimum: 0, default: fallback, description });

export const callSchema = Type.Object(
	{
		from: Type.String({
			maxLength: 256,
			default: '12125550123',
			description: 'caller: an extension, or any text that the PBX gets from outside',
		}),
		to: Type.String({ ...NUMBER, default: '100', description: 'dialed number' }),
		kind: Type.Optional(
			oneOf(['call', 'click_to_call'], {
				default: 'call',
				description:
					'`click_to_call` first rings the employee `from`, then `to`: two outbound legs that refer to each other',
			}),
		),
		legs: Type.Optional(
			oneOf(SHOWN_LEGS, {
				description: 'which legs produce events and CDRs; by default the setting `legs`',
			}),
		),
		account_id: text('account to call; by default the first one where `to` matches'),
		caller_id: text('number that a click-to-call shows to the other end', { maxLength: 64 }),
		caller_name: text('name of the caller', { maxLength: 200 }),
		caller_number: text(
			'the number of a caller whose `from` is another text, empty if withheld; only for `truth`',
			{ maxLength: 64 },
		),
		reaches: text(
			'number that an employee’s call reaches if it isn’t the dialed one, as after a prefix or speed dial',
			NUMBER,
		),
		shown_number: text('company number that an employee’s call shows outside', NUMBER),
		forward_to: text(
			'outside number to which the called employee’s phone forwards, over loopback legs',
			NUMBER,
		),
		picked_up_by: text('employee who picks up the call while another phone rings', EXTENSION),
		transferred_to: text('employee to whom the call goes after `talk_seconds`', EXTENSION),
		retrieved_by: text('employee who retrieves the call, parked after `talk_seconds`', EXTENSION),
		taken_by: Type.Optional(
			oneOf(['fax', 'conference'], { description: 'what takes the call instead of the callflow' }),
		),
		only_losers: Type.Optional(
			Type.Boolean({ description: 'whether the phone that answers has no CDR, as on some PBXs' }),
		),
		call_id: text('Call-ID of the first leg; a small PBX can use one again', { maxLength: 128 }),
		at: Type.Optional(
			Type.Number({
				minimum: 0,
				description: 'Unix seconds at which the call began, in the past; the call is over at once',
			}),
		),
		outcome: oneOf(['answered', 'busy', 'no-answer', 'cancelled', 'declined', 'voicemail'], {
			default: 'answered',
			description: 'what the called side does',
		}),
		answered_by: text('extension or device ID that answers; by default, the first to ring'),
		ring_seconds: seconds(3, 'ring time until someone answers, declines, or the caller hangs up'),
		talk_seconds: seconds(10, 'talk time, or length of the voicemail message'),
		then_seconds: Type.Optional(
			Type.Number({
				minimum: 0,
				description: 'talk time after a transfer; by default `talk_seconds`',
			}),
		),
		hangup_by: oneOf(['caller', 'callee'], {
			default: 'caller',
			description: 'who ends an answered call',
		}),
		speed: Type.Optional(
			Type.Number({
				exclusiveMinimum: 0,
				maximum: 100_000,
				description: 'how many times faster the call runs; by default the setting `speed`',
			}),
		),
		wait: Type.Optional(
			Type.Unsafe<boolean | 'ended' | 'delivered'>({
				enum: [true, false, 'ended', 'delivered'],
				description:
					'when to respond: right away, after the call has ended (`ended`), or after its events are delivered (`true`, `delivered`)',
			}),
		),
	},
	{ additionalProperties: false },
);

export type CallOrder = Static<typeof callSchema>;

export const completeOrder = (order: Partial<CallOrder>): CallOrder =>
	Value.Default(callSchema, { ...order }) as CallOrder;
