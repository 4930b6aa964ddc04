import { DAY_MS } from '../util/time';
import type { Contact } from './missedCallers';
import { isContactAfter } from './missedCallers';

/** How long after a missed call a contact counts as its follow-up, in milliseconds. */
export const FOLLOW_UP_MS = 7 * DAY_MS;

/** An answered call with an outside number. */
type Answered = Pick<Contact, 'at' | 'isIncoming' | 'talkSeconds'>;

/** The first contact after a missed call. */
export interface FollowUp {
	/** Whether the caller called again and got through, rather than being called back. */
	isIncoming: boolean;
	/** From the end of the missed call until the contact was answered. */
	seconds: number;
}

/** Finds the first contact after each missed call, in a stream of calls, newest first. */
export class FollowUps {
	private readonly contacts = new Map<string, Answered[]>();
	private prunedAt = Infinity;

	/** Adds an answered call with the number of a key. Drops contacts that are too late to follow calls still to come. */
	add(key: string, { at, isIncoming, talkSeconds }: Answered): void {
		const contact = { at, isIncoming, talkSeconds };
		const known = this.contacts.get(key);
		if (known) known.push(contact);
		else this.contacts.set(key, [contact]);
		if (at > this.prunedAt - FOLLOW_UP_MS / 7) return;
		this.prunedAt = at;
		this.prune(at);
	}

	/** Returns the follow-up of a missed call that ended at `missedAt`; undefined if there is none within a week. */
	after(key: string, missedAt: number): FollowUp | undefined {
		const [first] = (this.contacts.get(key) ?? [])
			.filter(
				(contact) => contact.at - missedAt <= FOLLOW_UP_MS && isContactAfter(contact, missedAt),
			)
			.sort(byTime);
		if (first === undefined) return undefined;
		const waitMs = first.at - first.talkSeconds * 1000 - missedAt;
		return { isIncoming: first.isIncoming, seconds: Math.max(0, Math.round(waitMs / 1000)) };
	}

	private prune(now: number): void {
		for (const [key, contacts] of this.contacts) {
			const left = contacts.filter(({ at }) => at - now <= FOLLOW_UP_MS);
			if (left.length === 0) this.contacts.delete(key);
			else if (left.length < contacts.length) this.contacts.set(key, left);
		}
	}
}

/** Of contacts that ended in the same second, puts call backs first, then the one that was answered first. */
function byTime(one: Answered, other: Answered): number {
	return (
		one.at - other.at ||
		Number(one.isIncoming) - Number(other.isIncoming) ||
		other.talkSeconds - one.talkSeconds
	);
}
