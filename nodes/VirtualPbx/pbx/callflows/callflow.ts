import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../../util/json';
import { bareNumber } from '../../util/party';
import { idIn, readList } from '../documents';
import type { Pivot, Requester } from '../types';

/** A callflow (§2.2). */
export interface Callflow {
	/** Undefined if the PBX doesn't show it. */
	id: string | undefined;
	name: string | undefined;
	numbers: string[];
	patterns: string[];
	/** Undefined in a list. */
	flow: IDataObject | undefined;
	/** The response as the PBX sent it. */
	original: IDataObject;
}

/** A callflow whose flow the PBX shows. */
export interface WholeCallflow extends Callflow {
	flow: IDataObject;
}

/** The fields of a callflow to write. Undefined ones stay as they are. */
export interface CallflowInput {
	name?: string | undefined;
	numbers?: string[] | undefined;
	patterns?: string[] | undefined;
	/** A tree of modules, or a web service that the PBX asks instead. */
	flow?: IDataObject | undefined;
	pivot?: Pivot | undefined;
}

/** Reads a callflow, from a list or in full. */
export function readCallflow(document: IDataObject): Callflow {
	const { name, numbers, patterns, flow } = document;
	const texts = (list: unknown) => [list].flat().flatMap((one) => asText(one) ?? []);
	return {
		id: idIn(document),
		name: asText(name),
		numbers: texts(numbers),
		patterns: texts(patterns),
		flow: isObject(flow) ? flow : undefined,
		original: document,
	};
}

/** At least this many digits: platforms add a plus sign. Shorter numbers, such as extensions, are stored as is. */
const FEWEST_DIGITS = 8;

/** Returns the digits of a number that platforms can store in a different form; undefined for other texts. */
function digitsOf(number: string): string | undefined {
	const bare = bareNumber(number);
	return /^\d+$/.test(bare) && bare.length >= FEWEST_DIGITS ? bare : undefined;
}

/** Returns a key that is equal for all forms of a callflow's number, such as `+74951234567` and `7 (495) 123-45-67`. */
function callflowNumber(number: string): string {
	return digitsOf(number) ?? number.trim();
}

/** Returns the forms in which a PBX that compares exact texts can store a number, starting with the given one. */
function storedForms(number: string): string[] {
	const digits = digitsOf(number);
	return digits === undefined ? [number] : [...new Set([number, `+${digits}`, digits])];
}

function storedNumbers({ numbers }: IDataObject): string[] {
	return [numbers].flat().flatMap((entry) => asText(entry)?.trim() ?? []);
}

/**
 * Finds the callflows with a number (§4.2 note 3), in any form that the PBX stores. A PBX can ignore the filter, and a
 * Kazoo's finds only callflows that have a single number, so reads the whole list if the filter finds nothing.
 */
export async function findByNumber(
	pbx: Requester,
	number: string,
	{ limit, isOptional = false }: { limit?: number | undefined; isOptional?: boolean } = {},
): Promise<IDataObject[]> {
	const keep = having(number);
	for (const form of [...storedForms(number), undefined]) {
		const query = form === undefined ? pbx.dialect.longList : { filter_numbers: form };
		const request = { path: ['callflows'], isOptional, query };
		const found = await readList(pbx, request, { limit, keep });
		if (found.length > 0) return found;
	}
	return [];
}

function having(number: string): (callflow: IDataObject) => boolean {
	return (callflow) =>
		storedNumbers(callflow).some((entry) => callflowNumber(entry) === callflowNumber(number));
}

/** Returns an update's numbers in the form that the callflow already has; empty if the update sets no numbers. */
export function inStoredForm({ numbers }: IDataObject, current: IDataObject): IDataObject {
	if (!Array.isArray(numbers)) return {};
	const given = numbers as string[];
	// No call reaches a number with punctuation.
	const stored = storedNumbers(current).filter(
		(one) => !given.includes(one) && !/[\s().-]/.test(one),
	);
	const kept = given.map((one) =>
		storedNumbers(current).includes(one)
			? one
			: (stored.find((other) => callflowNumber(other) === callflowNumber(one)) ?? one),
	);
	return { numbers: [...new Set(kept)] };
}
