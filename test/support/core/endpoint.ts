import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { parse } from 'node:querystring';
import { listen } from '../../../tools/listen';
import type { IWorkflowExecuteAdditionalData } from 'n8n-workflow';

type Context = Required<Pick<IWorkflowExecuteAdditionalData, 'httpRequest' | 'httpResponse'>>;
export type WebhookRequest = Context['httpRequest'];
export type WebhookResponse = Context['httpResponse'];

/** Handles one request. Errors become a 500 response. */
export type Handler = (request: WebhookRequest, response: WebhookResponse) => Promise<void>;

/**
 * Listens for webhooks as n8n does: parses bodies by content type, keeps `rawBody`, and rejects
 * malformed JSON with 422 before the node sees it. Returns its base URL on a free port.
 */
export async function listenForWebhooks(
	handler: Handler,
): Promise<{ url: string; close(): Promise<void> }> {
	const server = createServer((incoming, outgoing) => {
		const response = likeExpress(outgoing);
		handle(incoming, response, handler).catch((error: unknown) => {
			if (!response.headersSent) response.status(500).json({ message: String(error) });
		});
	});
	const { url, close } = await listen(server);
	return { url: `${url}/`, close };
}

async function handle(incoming: IncomingMessage, response: WebhookResponse, handler: Handler) {
	const type = incoming.headers['content-type'] ?? '';
	const received = await buffer(incoming);
	// n8n keeps no text of what it takes for a form with files.
	const isMultipart = /^multipart\/form-data(;|$)/i.test(type);
	const rawBody = isMultipart ? undefined : received;
	const body = isMultipart ? partsOf(received) : parseBody(type, received);
	if (body instanceof SyntaxError) {
		response
			.status(422)
			.json({ code: 422, message: 'Failed to parse request body', hint: body.message });
		return;
	}
	const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
	const query = Object.fromEntries(searchParams);
	const request = Object.assign(incoming, { rawBody, body, query, params: {}, path: pathname });
	await handler(request as unknown as WebhookRequest, response);
}

function partsOf(raw: Buffer) {
	const parts = raw.toString().matchAll(/name="(.*?)"\r\n\r\n(.*?)\r\n--/gs);
	return {
		data: Object.fromEntries([...parts].map(([, name, value]) => [name, value])),
		files: {},
	};
}

function parseBody(contentType = '', raw: Buffer): unknown {
	const text = raw.toString();
	const kind = contentType.split(';')[0]?.trim().toLowerCase();
	if (raw.length === 0) return undefined;
	if (kind === 'application/x-www-form-urlencoded') return { ...parse(text) };
	if (kind === 'text/plain') return text;
	if (kind !== 'application/json') return undefined;
	try {
		return JSON.parse(text);
	} catch (error) {
		return error instanceof SyntaxError ? error : new SyntaxError(String(error));
	}
}

/** Adds the few Express methods that nodes use. */
function likeExpress(outgoing: ServerResponse): WebhookResponse {
	const response = Object.assign(outgoing, {
		status(code: number) {
			outgoing.statusCode = code;
			return response;
		},
		json(value: unknown) {
			outgoing.setHeader('content-type', 'application/json; charset=utf-8');
			outgoing.end(JSON.stringify(value));
			return response;
		},
		send(value: unknown) {
			if (typeof value === 'object' && !Buffer.isBuffer(value)) return response.json(value);
			outgoing.end(Buffer.isBuffer(value) ? value : String(value));
			return response;
		},
	});
	return response as unknown as WebhookResponse;
}
