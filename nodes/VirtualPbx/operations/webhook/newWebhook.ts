import type { IDataObject } from 'n8n-workflow';

import { refusal } from '../../fields/refusal';
import type { Reading } from '../../fields/refusal';

const REQUIRED = { name: 'Name', uri: 'URL' } as const;

/**
 * Makes a webhook's document of the fields that the user named, with every required field of §4.4.
 *
 * @throws NodeOperationError when name or address are missing
 */
export function newWebhook(at: Reading, values: IDataObject): IDataObject {
	for (const [field, label] of Object.entries(REQUIRED)) {
		if (values[field] === undefined) throw refusal(at, `${label} is empty`, `Fill in ${label}.`);
	}
	return { http_verb: 'post', hook: 'channel_destroy', retries: 2, ...values };
}
