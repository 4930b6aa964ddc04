import type { Cdr } from '../../nodes/VirtualPbx/pbx/cdrs/cdr';
import type { Pbx } from '../../nodes/VirtualPbx/pbx/client';
import { PbxError } from '../../nodes/VirtualPbx/pbx/errors/pbxError';
import type { Callflow } from '../../nodes/VirtualPbx/pbx/types';

/** Results of a check, from best to worst. */
export const VERDICTS = ['works', 'differs', 'lacks', 'unknown', 'breaks'] as const;
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
	/** All callflows of the account, listed once. */
	callflows(): Promise<Callflow[]>;
	/** The newest call records, read once, and the start of their period in Gregorian seconds. */
	records(): Promise<{ records: Cdr[]; from: number }>;
	/** The status of the list of callflows for a token that the PBX doesn't know. Throws PbxError. */
	statusOfUnknownToken(): Promise<number>;
	/** Where to receive events: the address for the PBX, and the local port. */
	receiver: { url: string; port: number } | undefined;
	/** Prints an instruction for the person at the terminal. */
	show(text: string): void;
}

/** One feature of the nodes, and what it needs from a platform. */
export interface Feature {
	name: string;
	/** The nodes and operations that need it. */
	usedBy: string;
	/** Yields findings. A thrown PbxError means that the feature breaks. */
	check(platform: Platform): AsyncIterable<Finding>;
}

export const works = (says: string): Finding => ({ verdict: 'works', says });
export const differs = (says: string): Finding => ({ verdict: 'differs', says });
/** For what a PBX can do without. */
export const lacks = (says: string): Finding => ({ verdict: 'lacks', says });
export const unknown = (says: string): Finding => ({ verdict: 'unknown', says });
export const breaks = (says: string): Finding => ({ verdict: 'breaks', says });

/** Turns an error into a finding, with the message that users of the nodes would see. */
export function findingOf(error: unknown): Finding {
	if (!(error instanceof PbxError)) throw error;
	return breaks([`${error.message}.`, error.description].filter(Boolean).join(' '));
}
