import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../values/json';

/** What the Pivot form asks for. */
export interface Pivot {
	/** Host and path of the web service, without a scheme. */
	webserver: string;
	/** The method by which the PBX asks, in upper case. */
	method: string;
	/** Seconds, as a text of digits. */
	timeout: string;
	/** Name of the answer's format. */
	format: string;
}

const TOKEN = '{dflow}';

/** Makes the parameters of a pivot node (§2.2), whose timeout is a text. */
export function pivotData(pivot: Pivot, callflowId: string): IDataObject {
	return {
		method: pivot.method,
		req_timeout: pivot.timeout,
		req_format: pivot.format,
		voice_url: `${TOKEN}&callflow_id=${callflowId}&webserver=${pivot.webserver}`,
	};
}

/** Takes host and path out of a web address, or tells what is wrong with it; the PBX chooses the scheme itself (§2.2). */
export function webserverOf(address: string): { webserver: string } | { fault: string } {
	const text = address.trim();
	const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1] ?? 'https';
	const bare = text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
	const fault = addressFault(scheme.toLowerCase(), bare);
	if (fault !== undefined) return { fault };

	const { host, pathname } = new URL(`https://${bare}`);
	const portOfHttps = /^[^/]*:0*443(\/|$)/.test(bare) ? ':443' : '';
	const path = pathname === '/' && !bare.endsWith('/') ? '' : pathname;
	return { webserver: host + portOfHttps + path };
}

function addressFault(scheme: string, bare: string): string | undefined {
	if (bare === '') return 'is empty';
	if (!/^https?$/.test(scheme)) return `must begin with https:// or http://, not ${scheme}://`;
	const breaking = /[?#&]/.exec(bare)?.[0];
	if (breaking) {
		return `must not contain "${breaking}": the PBX appends the address to its own query`;
	}
	if (/[\s{}\\]/.test(bare) || !URL.canParse(`https://${bare}`)) return 'is not a web address';
	const { username, password, host } = new URL(`https://${bare}`);
	// Some signs of Unicode stand for a plain & or { in a host.
	if (/[&{}]/.test(host)) return 'is not a web address';
	return username || password ? 'must not contain a user name or password' : undefined;
}

/**
 * Tells what is wrong first in a callflow tree (§2.2), as `at "children.1": the flow has no "module"`: each node has a
 * module, and data and children are objects. Undefined when nothing is surely wrong.
 */
export function flowFault(flow: unknown): string | undefined {
	const open: Array<{ node: unknown; path: string[] }> = [{ node: flow, path: [] }];
	for (let current = open.pop(); current; current = open.pop()) {
		const { node, path } = current;
		const fault = nodeFault(node);
		if (fault !== undefined) return path.length === 0 ? fault : `at "${path.join('.')}": ${fault}`;
		const children = isObject(node) && isObject(node.children) ? Object.entries(node.children) : [];
		for (const [key, child] of children.reverse())
			open.push({ node: child, path: [...path, 'children', key] });
	}
	return undefined;
}

function nodeFault(node: unknown): string | undefined {
	if (!isObject(node)) return 'a flow must be a JSON object';
	const { module, data, children } = node;
	if (typeof module !== 'string' || module.trim() === '') return 'the flow has no "module"';
	if (data !== undefined && !isObject(data)) return '"data" must be a JSON object';
	if (children !== undefined && !isObject(children))
		return '"children" must be a JSON object, or {} if there are none';
	return undefined;
}

/** A copy of a sound flow with what the contract wants on every node (§2.2): `data`, and `children`. */
export function completeFlow(flow: IDataObject): IDataObject {
	const children = isObject(flow.children) ? Object.entries(flow.children) : [];
	return {
		...flow,
		data: flow.data ?? {},
		children: Object.fromEntries(
			children.map(([key, child]) => [key, isObject(child) ? completeFlow(child) : child]),
		),
	};
}

/** Puts a pivot node in the place of a flow's root (§2.2); of one that is there, what the form does not set stays. */
export function withPivotRoot(current: unknown, data: IDataObject): IDataObject {
	const root = isObject(current) && current.module === 'pivot' ? current : {};
	const old = isObject(root.data) ? root.data : {};
	return { children: {}, ...root, module: 'pivot', data: { ...old, ...data } };
}
