import type { Settings } from './settings';
import type { Callflow } from './types';

/** A number or pattern that another callflow already has. */
export interface Clash {
	field: 'numbers' | 'patterns';
	value: string;
	callflow: Callflow;
}

/** Numbers that a stock Kazoo treats as public. */
const PUBLIC_NUMBER = /^\d{8,}$/;

/** Returns a number as a PBX with these settings stores it. */
export const storedNumber = (number: string, { profile }: Pick<Settings, 'profile'>): string =>
	profile === 'kazoo' && PUBLIC_NUMBER.test(number) ? `+${number}` : number;

/** The callflows of one account, found by ID and by number in constant time. */
export class Callflows {
	private readonly byId = new Map<string, Callflow>();
	private readonly byNumber = new Map<string, Callflow>();
	private readonly byPattern = new Map<string, { expression: RegExp; callflow: Callflow }>();
	/** Counts changes: the list's `revision` (§2.1). */
	revision = 0;

	/** Returns every callflow, in the order of creation. */
	all(): Callflow[] {
		return [...this.byId.values()];
	}

	get(id: string): Callflow | undefined {
		return this.byId.get(id);
	}

	/** Finds the callflow for a dialed number: by number first, stored with `+` or without, then by pattern (§2.2). */
	match(number: string): Callflow | undefined {
		const exact = this.byNumber.get(number) ?? this.byNumber.get(`+${number}`);
		if (exact) return exact;
		for (const { expression, callflow } of this.byPattern.values()) {
			if (expression.test(number)) return callflow;
		}
		return undefined;
	}

	/** Finds the first number or pattern that another callflow already has. */
	clash(id: string, numbers: string[], patterns: string[]): Clash | undefined {
		for (const value of numbers) {
			const callflow = this.byNumber.get(value);
			if (callflow && callflow.id !== id) return { field: 'numbers', value, callflow };
		}
		for (const value of patterns) {
			const callflow = this.byPattern.get(value)?.callflow;
			if (callflow && callflow.id !== id) return { field: 'patterns', value, callflow };
		}
		return undefined;
	}

	/** Stores a callflow, replacing the one with the same ID. Expects valid patterns. */
	put(callflow: Callflow): void {
		this.forget(callflow.id);
		this.byId.set(callflow.id, callflow);
		for (const number of callflow.numbers) this.byNumber.set(number, callflow);
		for (const pattern of callflow.patterns) {
			this.byPattern.set(pattern, { expression: new RegExp(pattern), callflow });
		}
		this.revision++;
	}

	remove(id: string): void {
		this.forget(id);
		this.byId.delete(id);
		this.revision++;
	}

	private forget(id: string): void {
		const old = this.byId.get(id);
		for (const number of old?.numbers ?? []) this.byNumber.delete(number);
		for (const pattern of old?.patterns ?? []) this.byPattern.delete(pattern);
	}
}
