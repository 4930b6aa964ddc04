import type { IDataObject } from 'n8n-workflow';

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

/**
 * Makes the parameters of a pivot node (§2.2): the timeout is a text, and the address is
 * `{dflow}&callflow_id=<id>&webserver=<host and path>`.
 */
export function pivotData(pivot: Pivot, callflowId: string): IDataObject {
	return {
		method: pivot.method,
		req_timeout: pivot.timeout,
		req_format: pivot.format,
		voice_url: `${TOKEN}&callflow_id=${callflowId}&webserver=${pivot.webserver}`,
	};
}

/**
 * Takes host and path out of a web address. The scheme is dropped, since §2.2 sends host and path only: whether the PBX
 * asks by http or https is the PBX's choice.
 *
 * @param address a web address with or without http(s)://
 * @returns host with port and path as written; or what is wrong with it, to be put after the field's name
 */
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
		return `must not contain "${breaking}": the PBX appends the address to a query of its own, which a query or fragment would break`;
	}
	if (/[\s{}\\]/.test(bare) || !URL.canParse(`https://${bare}`)) return 'is not a web address';
	const { username, password, host } = new URL(`https://${bare}`);
	// Some signs of Unicode stand for a plain & or { in a host.
	if (/[&{}]/.test(host)) return 'is not a web address';
	return username || password ? 'must not contain a user name or password' : undefined;
}

/**
 * Checks the address of a pivot node that was written by hand. Only addresses of the form of §2.2 are judged: others
 * may be known to the PBX.
 *
 * @returns what is wrong, undefined when nothing is surely wrong
 */
export function voiceUrlFault(value: unknown): string | undefined {
	if (value === undefined) return undefined;
	if (typeof value !== 'string') return '"voice_url" must be a text';
	const webserver = value.startsWith(TOKEN) ? /&webserver=(.*)$/s.exec(value)?.[1] : undefined;
	return webserver !== undefined && /[?#&\s]/.test(webserver)
		? '"voice_url" has a query, fragment or blank in its "webserver" part, which breaks the address'
		: undefined;
}
