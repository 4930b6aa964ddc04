import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { isOn } from '../values/json';
import { COUNTRY_HINT, readCountry } from '../values/phone/country';

/** Who logs in (§5). */
export interface Login {
	login: string;
	password: string;
	realm: string;
}

/** What a saved `virtualPbxApi` credential holds, cleaned up for use. */
export interface PbxCredential extends Login {
	/** Origin and optional path of the PBX, without a trailing slash and without `/v1`. */
	baseUrl: string;
	/** The path segment after `/v1/` (§ preamble: `pbx` stands for the platform's own name). */
	platform: string;
	/** Other hosts that may receive the token, as the user wrote them. */
	recordingHosts: string[];
	ignoreSslIssues: boolean;
	/** The ISO code of the country in whose form numbers come; undefined to keep them as they are. */
	country: string | undefined;
	/** The token with the fingerprint of the login data that made it, or an empty string. */
	authToken: string;
	accountId: string;
}

const REQUIRED = {
	baseUrl: 'Base URL',
	login: 'Login',
	password: 'Password',
	realm: 'Realm',
} as const;

/** Reads who logs in, without a look at optional fields. Throws PbxRefusal that names the required field that is empty. */
export function readLogin(data: ICredentialDataDecryptedObject): Login {
	for (const [field, label] of Object.entries(REQUIRED)) {
		if (textIn(data, field) === '')
			throw new PbxRefusal(`${label} is empty in the Virtual PBX credential. Fill it in.`);
	}
	return {
		login: textIn(data, 'login'),
		password: String(data.password),
		realm: textIn(data, 'realm'),
	};
}

function textIn(data: ICredentialDataDecryptedObject, field: string): string {
	return String(data[field] ?? '').trim();
}

/**
 * Reads the decrypted fields of a credential, checked before anything is sent; the Base URL loses trailing slashes and a
 * pasted `/v1` or `/v1/<platform>`. Throws PbxRefusal that names the empty or malformed field.
 */
export function readCredential(data: ICredentialDataDecryptedObject): PbxCredential {
	const text = (name: string) => textIn(data, name);
	const login = readLogin(data);
	const country = countryOf(data);
	if (country === undefined && text('country') !== '')
		throw new PbxRefusal(
			`Country "${text('country')}" is not known in the Virtual PBX credential. ${COUNTRY_HINT}`,
		);

	const platform = platformOf(data);
	return {
		baseUrl: cleanBaseUrl(text('baseUrl'), platform),
		platform,
		...login,
		recordingHosts: text('recordingHosts')
			.split(/[\s,;]+/)
			.filter(Boolean),
		ignoreSslIssues: isOn(data.ignoreSslIssues),
		country,
		authToken: text('authToken'),
		accountId: text('accountId'),
	};
}

/**
 * Gives the platform's name: the path segment after `/v1/`, and the name of its own pivot format (§2.2); `pbx` when none
 * is set.
 */
export function platformOf(data: ICredentialDataDecryptedObject): string {
	return (
		String(data.platform ?? '')
			.trim()
			.replace(/^\/+|\/+$/g, '') || 'pbx'
	);
}

/**
 * Gives the country of a credential as an ISO code; undefined where numbers stay as they are, and for an unknown code.
 */
export function countryOf(data: ICredentialDataDecryptedObject): string | undefined {
	return readCountry(data.country);
}

function cleanBaseUrl(value: string, platform: string): string {
	if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) {
		throw new PbxRefusal(
			`Base URL "${value}" is not a web address. Enter the address of the PBX with its scheme, for example https://pbx.example.com`,
		);
	}
	const url = new URL(value);
	if (url.username || url.password || url.search || url.hash) {
		throw new PbxRefusal(
			`Base URL must contain only the address of the PBX. Remove the user name, password, and any "?" or "#" part, and use the Login and Password fields.`,
		);
	}
	const path = url.pathname.replace(/\/+$/, '');
	const tail = [`/v1/${platform}`, '/v1'].find((end) => path.endsWith(end)) ?? '';
	return url.origin + path.slice(0, path.length - tail.length);
}

/**
 * An error whose words are complete and meant for the user: a login that failed, a credential that cannot work,
 * an address that may not receive the token. It carries no cause, so no password or token can hide in it.
 */
export class PbxRefusal extends Error {
	/** @param isTransient true when it may work later without anyone doing anything: no answer, 429, 5xx */
	constructor(
		message: string,
		readonly isTransient = false,
	) {
		super(message);
	}
}
