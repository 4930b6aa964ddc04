import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../../tools/listen';

/** A request that the receiver got. */
export interface Received {
	method: string;
	url: string;
	headers: IncomingMessage['headers'];
	text: string;
	body: { name: string; args: Record<string, unknown> } & Record<string, unknown>;
}

type Respond = (received: Received, response: ServerResponse, count: number) => void;

const ok: Respond = (_received, response) => response.end('ok');

/** A server that collects what the sandbox sends: deliveries of events and routing questions. */
export class Receiver {
	readonly received: Received[] = [];
	/** How to answer; 200 by default. */
	respond: Respond = ok;
	host = '';
	private readonly server = createServer((request, response) => void this.take(request, response));
	private stop: () => Promise<void> = async () => undefined;

	/** Address with a path of its own. */
	get url(): string {
		return `http://${this.host}/hook`;
	}

	async open(): Promise<void> {
		const { url, close } = await listen(this.server);
		this.host = new URL(url).host;
		this.stop = close;
	}

	clear(): void {
		this.received.length = 0;
		this.respond = ok;
	}

	async close(): Promise<void> {
		await this.stop();
	}

	private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const text = (await buffer(request)).toString();
		const { method = '', url = '', headers } = request;
		const isJson = String(headers['content-type']).includes('json');
		const body = isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));
		const received = { method, url, headers, text, body };
		this.received.push(received);
		this.respond(received, response, this.received.length);
	}
}

/** Answers with JSON. */
export const json =
	(answer: unknown, status = 200): Respond =>
	(_received, response) => {
		response.writeHead(status, { 'content-type': 'application/json' });
		response.end(JSON.stringify(answer));
	};
