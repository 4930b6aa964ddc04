import type { IDataObject } from 'n8n-workflow';

import type { Scope } from '../../pbx/documents';
import { CALLFLOW, readList, scopeOf } from '../../pbx/documents';
import { asText } from '../../util/json';
import { bareNumber } from '../../util/party';

/** Platforms store numbers of so many digits with a plus sign, and shorter ones, such as extensions, as they are. */
const FEWEST_DIGITS = 8;

/** The digits of a number that platforms store in another form than it's written; undefined for all others. */
function digitsOf(number: string): string | undefined {
	const bare = bareNumber(number);
	return /^\d+$/.test(bare) && bare.length >= FEWEST_DIGITS ? bare : undefined;
}

/** A text that is the same for all forms of a callflow's number: `+74951234567`, `74951234567`, and `7 (495) 123-45-67`. */
function keyOf(number: string): string {
	return digitsOf(number) ?? number.trim();
}

/** The forms in which a PBX that compares whole texts may store a number, beginning with the given one. */
function formsOf(number: string): string[] {
	const digits = digitsOf(number);
	return digits === undefined ? [number] : [...new Set([number, `+${digits}`, digits])];
}

function numbersOf({ numbers }: IDataObject): string[] {
	return [numbers].flat().flatMap((entry) => asText(entry)?.trim() ?? []);
}

/**
 * Finds the callflows with a number (§4.2 note 3), in whichever form the PBX stores it; a PBX may ignore the filter, or
 * find too little by it.
 */
export async function findByNumber(
	work: Scope,
	number: string,
	limit?: number,
): Promise<IDataObject[]> {
	const request = { path: [CALLFLOW.path], ...scopeOf(work) };
	const has = (callflow: IDataObject) =>
		numbersOf(callflow).some((entry) => keyOf(entry) === keyOf(number));
	for (const form of formsOf(number)) {
		const filtered = { ...request, query: { filter_numbers: form } };
		const found = await readList(work.pbx, filtered, limit, has);
		if (found.length > 0) return found;
	}
	return await readList(work.pbx, request, limit, has);
}

/** Leaves out callflows that have a number in another form only, if there is one that has it in this very form. */
export function preferringForm(callflows: IDataObject[], number: string): IDataObject[] {
	const exact = callflows.filter((callflow) => numbersOf(callflow).includes(number));
	return exact.length > 0 ? exact : callflows;
}

/** The numbers of an update in the form in which the callflow has them already; nothing where no numbers are set. */
export function inStoredForm({ numbers }: IDataObject, current: IDataObject): IDataObject {
	if (!Array.isArray(numbers)) return {};
	const given = numbers as string[];
	const stored = numbersOf(current).filter((one) => !given.includes(one));
	const kept = given.map((one) =>
		numbersOf(current).includes(one)
			? one
			: (stored.find((other) => keyOf(other) === keyOf(one)) ?? one),
	);
	return { numbers: [...new Set(kept)] };
}
