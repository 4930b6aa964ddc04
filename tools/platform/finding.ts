import type { Send } from '../../nodes/VirtualPbx/pbx/http/message';
import type { Pbx } from '../../nodes/VirtualPbx/pbx/client';
import { PbxError } from '../../nodes/VirtualPbx/pbx/errors/pbxError';

/** Results of a check, from best to worst. */
export const VERDICTS = ['works', 'differs', 'unknown', 'breaks'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** One result of a check, as a sentence. */
export interface Finding {
	verdict: Verdict;
	says: string;
}

/** Permissions of a check: to read, to change the account and undo it, and to wait for a call. */
export type Permission = 'read' | 'write' | 'receive';

/** The platform under test. */
export interface Platform {
	pbx: Pbx;
	/** Sends a request without a token or any repetition. */
	send: Send;
	/** The address of the latest request whose path ends with these segments. */
	addressOf(...path: string[]): string | undefined;
	/** Where to receive events: the address for the PBX, and the local port. */
	receiver: { url: string; port: number } | undefined;
	/** Prints an instruction for the person at the terminal. */
	tell(text: string): void;
}

/** One feature of the nodes, and what it needs of a platform. */
export interface Feature {
	name: string;
	/** The nodes and operations that need it. */
	usedBy: string;
	needs: Permission;
	/** Yields findings. A thrown PbxError means that the feature breaks. */
	check(platform: Platform): AsyncIterable<Finding>;
}

export const works = (says: string): Finding => ({ verdict: 'works', says });
export const differs = (says: string): Finding => ({ verdict: 'differs', says });
export const unknown = (says: string): Finding => ({ verdict: 'unknown', says });
export const breaks = (says: string): Finding => ({ verdict: 'breaks', says });

/** Turns an error into a finding, in the words that a user of the nodes would see. */
export function findingOf(error: unknown): Finding {
	if (!(error instanceof PbxError)) throw error;
	return breaks([`${error.message}.`, error.description].filter(Boolean).join(' '));
}
