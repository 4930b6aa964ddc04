import { asText, isObject } from '../../util/json';

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
const WORD_FIELDS = ['message', 'error_message', 'error', 'reason', 'detail', 'title'];

/** A machine-readable name such as `bad_identifier`, less useful than a sentence beside it. */
const CODE = /^[a-z\d]+(?:_[a-z\d]+)+$/i;

/**
 * Finds the PBX's own words in a response whose shape the contract leaves open (§7.2), as one line of at most 300
 * characters: from the top level, `data`, `error`, or one of `errors`. A code such as `bad_identifier` is used only
 * if there is nothing else. The same goes for a single word such as `gone` if `data` is a sentence. Bare status codes
 * and HTML don't count.
 */
export function messageIn(body: unknown): string | undefined {
	if (typeof body === 'string') return plainText(body);
	if (!isObject(body)) return undefined;
	const data = typeof body.data === 'string' ? plainText(body.data) : body.data;
	const said = [body, data, body.error, ...[body.errors].flat()].flatMap(messagesIn);
	const saysMore = typeof data === 'string' && data.includes(' ');
	const isCode = (text: string) => CODE.test(text) || (saysMore && !text.includes(' '));
	return said.find((text) => !isCode(text)) ?? said[0];
}

function messagesIn(place: unknown): string[] {
	const texts = isObject(place) ? WORD_FIELDS.map((field) => place[field]) : [place];
	return texts
		.map(asText)
		.filter((text) => text !== undefined && /[^\d\s]/.test(text))
		.map((text) => oneLine(text ?? ''));
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
 * rule; or `errors`: a list of `{ field, detail }`, or of texts by field.
 */
export function fieldComplaints(body: unknown): FieldComplaint[] {
	if (!isObject(body)) return [];
	const { data, errors } = body;
	const listed = Array.isArray(errors) ? errors.filter(isObject) : [];
	const rules: Array<[string, unknown]> = [
		...Object.entries(isObject(data) ? data : {}).filter(([, rule]) => isObject(rule)),
		...Object.entries(isObject(errors) ? errors : {}),
		...listed.map((one): [string, unknown] => [asText(one.field) ?? '', [one]]),
	];
	return rules.flatMap(([field, rule]) => complaintsOf(field, rule));
}

function complaintsOf(field: string, rules: unknown): FieldComplaint[] {
	if (field === '') return [];
	if (isObject(rules))
		return Object.entries(rules).flatMap(([rule, one]) => complaintOf({ field, rule }, one));
	return [rules].flat().flatMap((one) => complaintOf({ field }, one));
}

/** Builds a complaint even from a rule without words, which can still name the taken or the accepted values. */
function complaintOf(about: { field: string; rule?: string }, rule: unknown): FieldComplaint[] {
	const { cause, target } = isObject(rule) ? rule : {};
	const choices = (Array.isArray(target) ? target : []).filter((one) => typeof one === 'string');
	const taken = about.rule === 'unique' && asText(cause);
	const [said = taken ? `${taken} is taken` : undefined] = messagesIn(rule);
	if (choices.length === 0) return said === undefined ? [] : [{ ...about, message: said }];
	const message = `${said ?? 'Not accepted'} (accepted: ${choices.map((one) => `"${one}"`).join(', ')})`;
	return [{ ...about, message: oneLine(message), choices }];
}

function plainText(body: string): string | undefined {
	return /^\s*(?:[<{[]|$)/.test(body) ? undefined : oneLine(body);
}

function oneLine(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
