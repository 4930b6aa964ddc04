import { simplifyRequest } from '../../../nodes/VirtualPbx/pivot/request';
import { formTexts, jsonTexts } from '../bodies';
import { door } from '../growth';

const REQUEST = { 'Call-ID': 'a', From: '74950000001', To: '74950000100', Request: '100' };

/** What routing requests and answers meet (§2.2, §2.3). */
export const routingDoors = [
	door('routing requests', { ...jsonTexts(REQUEST), ...formTexts }, (body) =>
		simplifyRequest({ method: 'POST', query: {}, body }),
	),
];
