import type { IDataObject } from 'n8n-workflow';

import { findFlaw, isObject, isStructure, parseStructure } from '../../util/json';

/** A delivery that doesn't start the workflow, and why. */
export interface DeliveryRejection {
	/** 200 if nothing is wrong with the delivery, 4xx if something is, 503 if a retry can succeed. */
	status: number;
	/** A sentence for readers of the PBX's log of delivery attempts. */
	reason: string;
}

/** A delivery's body, as text and as n8n parsed it. */
export interface Body {
	text: string;
	parsed: unknown;
	/** Whether n8n parsed it as JSON. */
	isJson: boolean;
}

/**
 * Reads a delivery, before anything in it is trusted: one event (§6) as JSON or as a form, whatever its content type.
 * Anyone can send deliveries, so time and memory are linear in the body.
 */
export function readDelivery({
	text,
	parsed,
	isJson,
}: Body): { entry: IDataObject } | { rejection: DeliveryRejection } {
	const json = isJson && isStructure(parsed) ? parsed : parseStructure(text);
	const entry = json ?? formIn(text);
	if (!isObject(entry)) return refuse('The body is neither a JSON object nor form data');
	const flaw = findFlaw(entry);
	return flaw === undefined ? { entry } : refuse(flaw);
}

function refuse(reason: string): { rejection: DeliveryRejection } {
	return { rejection: { status: 400, reason } };
}

function formIn(text: string): IDataObject | undefined {
	return text.includes('=') ? unflatten(new URLSearchParams(text)) : undefined;
}

/**
 * Builds the object behind a form: `args[Call-ID]=1` is `{ args: { 'Call-ID': '1' } }`. If a name repeats, the last
 * counts.
 */
export function unflatten(pairs: Iterable<readonly [string, unknown]>): IDataObject {
	const root: Record<string, unknown> = {};
	for (const [name, value] of pairs) put(root, pathOf(name), value);
	return root as IDataObject;
}

const MAX_PATH = 16;

function pathOf(name: string): string[] {
	const match = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name);
	if (!match) return [name];
	const path = [match[1] ?? ''];
	// Lazily, since a name can have thousands of brackets.
	for (const [, part = ''] of (match[2] ?? '').matchAll(/\[([^[\]]*)\]/g))
		if (path.push(part) === MAX_PATH) break;
	return path;
}

function put(root: Record<string, unknown>, path: string[], value: unknown): void {
	let place = root;
	path.forEach((part, index) => {
		if (index === path.length - 1) {
			setOwn(place, part, value);
			return;
		}
		const next = Object.hasOwn(place, part) ? place[part] : undefined;
		const child = isObject(next) ? (next as Record<string, unknown>) : {};
		setOwn(place, part, child);
		place = child;
	});
}

/** Sets an own field, even one named `__proto__`. */
function setOwn(target: object, name: string, value: unknown): void {
	Object.defineProperty(target, name, {
		value,
		writable: true,
		enumerable: true,
		configurable: true,
	});
}
