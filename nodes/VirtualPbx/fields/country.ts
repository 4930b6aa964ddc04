import type { INode, INodeProperties } from 'n8n-workflow';

import {
	COUNTRY_DESCRIPTION,
	COUNTRY_HINT,
	countryOptions,
	readCountry,
} from '../values/phone/country';
import { settingError } from './inputs';

/** In which country numbers are written, where it is not that of the credential. */
export const countryOption: INodeProperties = {
	displayName: 'Country',
	name: 'country',
	type: 'options',
	default: 'credential',
	description: COUNTRY_DESCRIPTION,
	options: countryOptions(
		{ name: 'From Credential', value: 'credential' },
		{ name: 'Keep Numbers as They Are', value: 'keep' },
	),
};

/** What a node has chosen: a country, none, or to follow the credential. */
export type CountryChoice = { code: string | undefined } | 'credential';

/** Tells whether a node keeps to the country of its credential, by the value of {@link countryOption}. */
export function followsCredential(value: unknown): boolean {
	return ['', 'credential'].includes(
		String(value ?? '')
			.trim()
			.toLowerCase(),
	);
}

/**
 * Reads {@link countryOption}.
 *
 * @param value as it stands in the Options collection
 * @throws NodeOperationError that names the option, for a country that is not known
 */
export function readCountryChoice(context: { getNode(): INode }, value: unknown): CountryChoice {
	if (followsCredential(value)) return 'credential';
	const text = String(value).trim();
	if (text.toLowerCase() === 'keep') return { code: undefined };
	const code = readCountry(text);
	if (code !== undefined) return { code };
	throw settingError(context, `Country: "${text}" is not known`, COUNTRY_HINT);
}
