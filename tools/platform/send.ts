import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';

import type { Send } from '../../nodes/VirtualPbx/pbx/types';

/** Returns a sender for the client that needs no n8n. */
export function senderOf(): Send {
	const agents = {
		strict: new Agent(),
		lenient: new Agent({ connect: { rejectUnauthorized: false } }),
	};
	return async ({ method, url, query = {}, headers, body, timeout, signal, ignoreSslIssues }) => {
		const given = Object.entries(query).filter(([, value]) => value !== undefined);
		const response = await request(url, {
			method,
			// undici takes no query beside one in the address, not even an empty one.
			...(given.length > 0 && { query: Object.fromEntries(given) }),
			headers,
			signal,
			dispatcher: ignoreSslIssues ? agents.lenient : agents.strict,
			...(body && { body: JSON.stringify(body) }),
			...(timeout !== undefined && { headersTimeout: timeout }),
		});
		return {
			statusCode: response.statusCode,
			headers: response.headers,
			body: response.body as Readable as never,
		};
	};
}
