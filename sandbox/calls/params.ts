import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { fieldsOf, type FieldHelp } from '../model/fields';
import { oneOf } from '../model/one-of';
import { SHOWN_LEGS } from '../model/settings';

/** How the called side behaves. */
const OUTCOMES = ['answered', 'busy', 'no-answer', 'cancelled', 'declined', 'voicemail'] as const;

const CALL_KINDS = ['call', 'click_to_call'] as const;

const NUMBER = { pattern: '^[+*#0-9A-Za-z._-]+$', maxLength: 64 };
const number = (description: string) => Type.Optional(Type.String({ ...NUMBER, description }));
const extension = (description: string) =>
	Type.Optional(Type.String({ pattern: '^\\d+$', maxLength: 10, description }));

/** An order to place a call. */
export const callSchema = Type.Object(
	{
		from: Type.String({
			maxLength: 256,
			default: '12125550123',
			description: 'caller: an extension, or any text that the PBX gets from outside',
		}),
		to: Type.String({ ...NUMBER, default: '100', description: 'dialed number' }),
		kind: Type.Optional(
			oneOf(CALL_KINDS, {
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
		account_id: Type.Optional(
			Type.String({
				description: 'account to call; by default the first one where `to` matches',
			}),
		),
		caller_id: Type.Optional(
			Type.String({
				maxLength: 64,
				description: 'number that a click-to-call shows to the other end',
			}),
		),
		caller_name: Type.Optional(Type.String({ maxLength: 200, description: 'name of the caller' })),
		caller_number: Type.Optional(
			Type.String({
				maxLength: 64,
				description:
					'the number of a caller whose `from` is another text, empty if withheld; only for `truth`',
			}),
		),
		reaches: number(
			'number that an employee’s call reaches if it isn’t the dialed one, as after a prefix or speed dial',
		),
		shown_number: number('company number that an employee’s call shows outside'),
		forward_to: number(
			'outside number to which the called employee’s phone forwards, over loopback legs',
		),
		picked_up_by: extension('employee who picks up the call while another phone rings'),
		transferred_to: extension('employee to whom the call goes after `talk_seconds`'),
		retrieved_by: extension('employee who retrieves the call, parked after `talk_seconds`'),
		taken_by: Type.Optional(
			oneOf(['fax', 'conference'], { description: 'what takes the call instead of the callflow' }),
		),
		only_losers: Type.Optional(
			Type.Boolean({ description: 'whether the phone that answers has no CDR, as on some PBXs' }),
		),
		call_id: Type.Optional(
			Type.String({
				maxLength: 128,
				description: 'Call-ID of the first leg; a small PBX can use one again',
			}),
		),
		at: Type.Optional(
			Type.Number({
				minimum: 0,
				description: 'Unix seconds at which the call began, in the past; the call is over at once',
			}),
		),
		outcome: oneOf(OUTCOMES, {
			default: 'answered',
			description: 'what the called side does',
		}),
		answered_by: Type.Optional(
			Type.String({
				description: 'extension or device ID that answers; by default, the first to ring',
			}),
		),
		ring_seconds: Type.Number({
			minimum: 0,
			default: 3,
			description: 'ring time until someone answers, declines, or the caller hangs up',
		}),
		talk_seconds: Type.Number({
			minimum: 0,
			default: 10,
			description: 'talk time, or length of the voicemail message',
		}),
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

/** Lists each field of an order with its default and meaning. */
export const callRows = (): FieldHelp[] => fieldsOf(callSchema);

/** Whether a field of an order is text, such as a number to dial. */
export const isTextField = (name: string): boolean =>
	Object.entries<TSchema>(callSchema.properties).some(
		([field, { type }]) => field === name && type === 'string',
	);

/** Fills in an order's defaults. */
export const completeOrder = (order: Partial<CallOrder>): CallOrder =>
	Value.Default(callSchema, { ...order }) as CallOrder;
