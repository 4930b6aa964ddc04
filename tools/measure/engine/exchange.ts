import { ServerResponse } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { IDataObject } from 'n8n-workflow';

/** An HTTP request to one of n8n's webhooks. */
export interface Delivery {
	method?: string;
	query?: IDataObject;
	contentType?: string;
	raw?: string;
}

/** Creates a request with its body parsed by content type as n8n does, and a response that goes nowhere. */
export function exchangeOf(delivery: Delivery) {
	const { method = 'POST', query = {}, contentType = 'application/json', raw = '' } = delivery;
	const headers = { 'content-type': contentType, host: 'n8n.example' };
	const body = { rawBody: Buffer.from(raw), body: parse(contentType, raw) };
	const more = { method, headers, query, ...body, params: {}, path: '/', socket: {} };
	const request = Object.assign(Readable.from([]), more);
	const response = new ServerResponse(request as unknown as IncomingMessage);
	const text: string[] = [];
	const end = response.end.bind(response);
	const send = (value: unknown) =>
		response.end(typeof value === 'string' ? value : JSON.stringify(value));
	Object.assign(response, {
		status: (code: number) => Object.assign(response, { statusCode: code }),
		json: send,
		send,
		end: (chunk?: unknown) => {
			if (chunk !== undefined) text.push(String(chunk));
			return end();
		},
	});
	const sent = () => ({
		status: response.statusCode,
		headers: { ...response.getHeaders() } as IDataObject,
		body: text.join(''),
	});
	return { request, response, sent };
}

function parse(contentType: string, raw: string): unknown {
	const kind = contentType.split(';')[0];
	if (raw === '') return undefined;
	if (kind === 'application/x-www-form-urlencoded')
		return Object.fromEntries(new URLSearchParams(raw));
	if (kind === 'application/json') return JSON.parse(raw) as unknown;
	return kind === 'text/plain' ? raw : undefined;
}
