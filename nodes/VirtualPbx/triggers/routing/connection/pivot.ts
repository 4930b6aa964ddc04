import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../../values/json';

/** A pivot node in a flow, and the web service that it asks. */
export interface PivotNode {
	node: IDataObject;
	/** Host and path, as they stand in its `voice_url`. */
	webserver: string;
}

/** Finds all pivot nodes that name a web service (§2.2), wherever in the tree they are, from the root on. */
export function pivotsIn(value: unknown): PivotNode[] {
	if (typeof value !== 'object' || value === null) return [];
	const webserver = webserverIn(value);
	const own = webserver === undefined ? [] : [{ node: value as IDataObject, webserver }];
	return [...own, ...Object.values(value).flatMap(pivotsIn)];
}

/** Those of them that ask this web service. */
export function ownPivotsIn(flow: unknown, webserver: string): IDataObject[] {
	return pivotsIn(flow)
		.filter((pivot) => pivot.webserver === webserver)
		.map(({ node }) => node);
}

function webserverIn(value: unknown): string | undefined {
	if (!isObject(value) || value.module !== 'pivot' || !isObject(value.data)) return undefined;
	const { voice_url: url } = value.data;
	return typeof url === 'string' ? /&webserver=([^&]*)/.exec(url)?.[1] : undefined;
}

/** Puts a pivot node in front of a flow, which becomes its child: calls go on with it when the web service fails. */
export function withPivotInFront(oldFlow: unknown, data: IDataObject): IDataObject {
	return { module: 'pivot', data, children: isFlow(oldFlow) ? { _: oldFlow } : {} };
}

/** Sets parameters of the pivot nodes that ask these web services, and leaves everything else as it is. */
export function withPivotData(
	flow: IDataObject,
	webservers: readonly string[],
	data: IDataObject,
): IDataObject {
	const isOwn = (value: unknown) => webservers.includes(webserverIn(value) ?? '');
	const change = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(change);
		if (!isObject(value)) return value;
		const changed = mapValues(value, change);
		return isOwn(value)
			? { ...changed, data: { ...(value.data as IDataObject), ...data } }
			: changed;
	};
	return change(flow) as IDataObject;
}

/** A flow without our pivot nodes. */
export interface Remainder {
	/** Undefined when nothing stood behind them. */
	flow: IDataObject | undefined;
	/** Why some of ours are still in it; empty when none is. */
	stays: string[];
}

/** Takes our pivot nodes out of a flow and puts what is behind each into its place. One with further children stays. */
export function withoutOwnPivots(flow: IDataObject, webserver: string): Remainder {
	const stays: string[] = [];
	const strip = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(orAsItWas);
		if (!isObject(value)) return value;
		const rest = mapValues(value, orAsItWas);
		if (webserverIn(value) !== webserver) return rest;
		const { behind, others } = standingBehind(rest);
		if (others.length === 0) return isFlow(behind) ? behind : GONE;
		stays.push('the pivot module now has other children');
		return rest;
	};
	const orAsItWas = (value: unknown): unknown => {
		const rest = strip(value);
		if (rest === GONE) stays.push('there is nothing behind the pivot module');
		return rest === GONE ? value : rest;
	};
	const rest = strip(flow);
	return { flow: rest === GONE ? undefined : (rest as IDataObject), stays };
}

const GONE = Symbol('there is nothing left here');

/** The way on from a pivot node, and its other children that hold anything. */
function standingBehind({ children }: IDataObject): { behind: unknown; others: unknown[] } {
	const { _: behind, ...others } = isObject(children) ? children : {};
	return { behind, others: Object.values(others).filter(isFlow) };
}

function mapValues(value: IDataObject, change: (entry: unknown) => unknown): IDataObject {
	return Object.fromEntries(
		Object.entries(value).map(([key, entry]) => [key, change(entry)]),
	) as IDataObject;
}

function isFlow(value: unknown): value is IDataObject {
	return isObject(value) && Object.keys(value).length > 0;
}

/** Tells whether the PBX kept every value. Additions, numbers as texts, and a method in another case are no loss (§2.2). */
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
