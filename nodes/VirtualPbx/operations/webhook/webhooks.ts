import type { IDataObject } from 'n8n-workflow';

import { withoutSecret } from '../../events/secret';
import { isObject } from '../../values/json';
import { MASK } from '../../values/secrets';

/** A webhook as workflows may see it: the secret of our event trigger is masked. */
export function masked(webhook: IDataObject): IDataObject {
	return withoutSecret(webhook, MASK);
}

/**
 * Puts back what is behind a mask in custom data, so that an earlier output can be written again.
 *
 * @param current the webhook as it is; where it has no such value, nothing is sent
 */
export function unmasked(values: IDataObject, current: IDataObject = {}): IDataObject {
	if (!isObject(values.custom_data)) return values;
	const old = isObject(current.custom_data) ? current.custom_data : {};
	const entries = Object.entries(values.custom_data).map(([name, value]) => [
		name,
		value === MASK ? old[name] : value,
	]);
	return { ...values, custom_data: Object.fromEntries(entries) as IDataObject };
}
