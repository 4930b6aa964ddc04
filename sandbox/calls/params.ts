import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { fieldsOf, type FieldHelp } from '../model/fields';
import { oneOf } from '../model/one-of';
import { SHOWN_LEGS } from '../model/switches/calls';

/** How the called side behaves. */
const OUTCOMES = ['answered', 'busy', 'no-answer', 'cancelled', 'declined', 'voicemail'] as const;

const CALL_KINDS = ['call', 'click_to_call'] as const;

const number = (fallback: string, description: string) =>
	Type.String({ pattern: '^[+*#0-9A-Za-z._-]+$', maxLength: 64, default: fallback, description });

/** An order to place a call. */
export const callSchema = Type.Object(
	{
		from: number('74951234567', 'caller: an outside number or an extension'),
		to: number('100', 'dialed number'),
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
