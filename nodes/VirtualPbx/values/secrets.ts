import type { IDataObject } from 'n8n-workflow';

/** What stands in place of a secret. */
export const MASK = '***';
const NAMES = 'secret|passw|token|api[-_]?key|authorization';
const SECRET_NAME = new RegExp(NAMES, 'i');
const IN_JSON = new RegExp(
	`(\\\\*"[^"\\\\]*(?:${NAMES})[^"\\\\]*\\\\*"\\s*:\\s*\\\\*")[^"\\\\]*`,
	'gi',
);
const IN_FORM = new RegExp(`((?:^|[?&])[^=&\\s"]*(?:${NAMES})[^=&\\s"]*=)[^&\\s"]*`, 'gi');

/**
 * Masks the values of everything that is named like a secret, such as the one in our trigger's custom data, which a
 * delivery log repeats: in nested objects, and in texts that hold JSON or a form, whole or cut off.
 *
 * @returns a copy; what is no secret stays as it is
 */
export function withoutSecrets(object: IDataObject): IDataObject {
	return Object.fromEntries(
		Object.entries(object).map(([name, value]) => [
			name,
			SECRET_NAME.test(name) && isText(value) ? MASK : mask(value),
		]),
	) as IDataObject;
}

function mask(value: unknown): unknown {
	if (typeof value === 'string')
		return value.replace(IN_JSON, `$1${MASK}`).replace(IN_FORM, `$1${MASK}`);
	if (Array.isArray(value)) return value.map(mask);
	return typeof value === 'object' && value !== null ? withoutSecrets(value as IDataObject) : value;
}

function isText(value: unknown): boolean {
	return typeof value === 'string' || typeof value === 'number';
}
