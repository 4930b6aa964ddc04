import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../util/json';
import { childrenOf } from './pivotModule';

/**
 * Returns whether the PBX kept every value. Additions, numbers as texts, and a method in different case are fine
 * (§2.2).
 */
export function isKept(given: unknown, found: unknown, name = ''): boolean {
	if (Array.isArray(given)) {
		if (!Array.isArray(found) || found.length !== given.length) return false;
		return given.every((entry, index) => isKept(entry, (found as unknown[])[index]));
	}
	if (!isObject(given)) return isSameValue(given, found, name);
	if (!isObject(found)) return Object.keys(given).length === 0 && (found ?? null) === null;
	return Object.entries(given).every(([key, value]) => isKept(value, found[key], key));
}

function isSameValue(given: unknown, found: unknown, name: string): boolean {
	if ((given ?? null) === null || (found ?? null) === null || typeof found === 'object')
		return (given ?? null) === (found ?? null);
	const [one, other] = [String(given), String(found)];
	if (one === other) return true;
	return name === 'method' && one.toUpperCase() === other.trim().toUpperCase();
}

/** Returns whether a flow, or one of its branches, contains another flow completely. */
export function holds(flow: IDataObject, given: IDataObject): boolean {
	if (isKept(given, flow)) return true;
	return Object.values(childrenOf(flow)).some((child) => isObject(child) && holds(child, given));
}

/** Returns whether a flow is another one with nodes or parameters missing, but none changed. Ignores additions. */
export function isCutShort(given: IDataObject, found: IDataObject): boolean {
	return !isKept(given, found) && isPartOf(found, given);
}

function isPartOf(found: IDataObject, given: IDataObject): boolean {
	if (found.module !== given.module) return false;
	const data = isObject(given.data) ? given.data : {};
	const shared = Object.entries(isObject(found.data) ? found.data : {}).filter(
		([name]) => name in data,
	);
	if (!shared.every(([name, value]) => isKept(data[name], value, name))) return false;
	const branches = childrenOf(given);
	return Object.entries(childrenOf(found)).every(([key, child]) => {
		const branch = branches[key];
		return isObject(child) && isObject(branch) && isPartOf(child, branch);
	});
}
