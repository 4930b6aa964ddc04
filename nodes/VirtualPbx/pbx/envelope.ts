import { asText, isObject } from '../util/json';

/** Returns the payload of an envelope (§2.1). A response without one is its own payload. */
export function unwrap(body: unknown): unknown {
	return isObject(body) && 'data' in body ? body.data : body;
}

/** Returns whether an envelope (§2.1) is empty: its payload is nothing or an empty object. */
export function holdsNothing(body: unknown): boolean {
	const payload = unwrap(body);
	if (payload === body) return false;
	return payload === null || (isObject(payload) && Object.keys(payload).length === 0);
}

/**
 * Finds the list in a response: an array, bare or in the envelope (§2.1); undefined if there is none, not even an
 * empty one.
 */
export function listIn(body: unknown): unknown[] | undefined {
	const payload = unwrap(body);
	return Array.isArray(payload) ? payload : undefined;
}

/** Finds a field of a login response in `data` or at the top level, in either case (§5.2). */
export function loginField(body: unknown, name: string): string | undefined {
	if (!isObject(body)) return undefined;
	return [body.data, body]
		.filter(isObject)
		.flatMap((place) => [asText(place[name]), asText(place[name.toUpperCase()])])
		.find((value) => value !== undefined);
}

/** Returns whether a login response names an error, whatever its status (§5.2). */
export function isRejectedLogin(body: unknown): boolean {
	return !['0', undefined].includes(loginField(body, 'error_code'));
}

const MAX_LENGTH = 300;

/** A machine-readable name such as `bad_identifier`, less useful than a sentence beside it. */
const CODE = /^[a-z\d]+(?:_[a-z\d]+)+$/i;

/**
 * Finds the PBX's own words in a response whose shape the contract leaves open (§7.2), as one line of at most 300
 * characters. Reads the spellings that were seen: `message`, `error_message` at the top or in `data`, `data.message`, and
 * a text as `data`. A code such as `bad_identifier` is used only if there is nothing else, and a single word such as
 * `gone` only if `data` isn't a sentence. Bare status codes and HTML don't count.
 */
export function messageIn(body: unknown): string | undefined {
	if (typeof body === 'string') return plainText(body);
	if (!isObject(body)) return undefined;
	const data = isObject(body.data) ? body.data : {};
	const text = typeof body.data === 'string' ? plainText(body.data) : undefined;
	const words = [body.message, body.error_message, text, data.message, data.error_message];
	const said = words.map(wordsIn).filter((one) => one !== undefined);
	const isCode = (one: string) => CODE.test(one) || (text?.includes(' ') && !one.includes(' '));
	return said.find((one) => !isCode(one)) ?? said[0];
}

/** Returns what a PBX said: its words, or, in a shape that isn't known, the response itself. */
export function saidIn(body: unknown): string | undefined {
	const isEmpty = typeof body !== 'object' || body === null || Object.keys(body).length === 0;
	const raw = isEmpty || fieldComplaints(body).length > 0 ? undefined : JSON.stringify(body);
	return messageIn(body) ?? (raw && oneLine(raw));
}

function wordsIn(value: unknown): string | undefined {
	const text = asText(value);
	return text !== undefined && /[^\d\s]/.test(text) ? oneLine(text) : undefined;
}

/** A PBX's complaint about one field of a request. */
export interface FieldComplaint {
	field: string;
	message: string;
	/** The rule that the value breaks, such as `unique`, if the PBX names it. */
	rule?: string;
	/** The values that the PBX accepts, if it names them. */
	choices?: string[];
}

/**
 * Collects the PBX's complaints about single fields: `data: { "<field>": { "<rule>": { message } } }`, or a text per
 * rule.
 */
export function fieldComplaints(body: unknown): FieldComplaint[] {
	if (!isObject(body) || !isObject(body.data)) return [];
	return Object.entries(body.data).flatMap(([field, rules]) =>
		isObject(rules)
			? Object.entries(rules).flatMap(([rule, one]) => complaintOf({ field, rule }, one))
			: [],
	);
}

/** Builds a complaint even from a rule without words, which can still name the taken or the accepted values. */
function complaintOf(about: { field: string; rule: string }, value: unknown): FieldComplaint[] {
	const { cause, target, message }: Record<string, unknown> = isObject(value)
		? value
		: { message: value };
	const choices = (Array.isArray(target) ? target : []).filter((one) => typeof one === 'string');
	const taken = about.rule === 'unique' ? asText(cause) : undefined;
	const said = wordsIn(message) ?? (taken && `${taken} is taken`);
	if (choices.length === 0) return said === undefined ? [] : [{ ...about, message: said }];
	const accepted = choices.map((one) => `"${one}"`).join(', ');
	return [
		{ ...about, message: oneLine(`${said ?? 'Not accepted'} (accepted: ${accepted})`), choices },
	];
}

function plainText(body: string): string | undefined {
	return /^\s*(?:[<{[]|$)/.test(body) ? undefined : oneLine(body);
}

function oneLine(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
