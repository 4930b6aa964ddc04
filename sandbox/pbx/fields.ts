import type { Settings } from '../model/settings';
import { Refusal } from '../server/errors';

/**
 * Refuses a changed document that has more fields than its row of §4 lists, where the setting
 * `post_fields` says so: with 400, and without a word about which field it is.
 */
export function refuseUnlisted(data: object, listed: string[], settings: Settings): void {
	if (settings.post_fields === 'any') return;
	if (Object.keys(data).some((field) => !listed.includes(field))) throw new Refusal(400);
}
