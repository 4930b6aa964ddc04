import type { IDataObject } from 'n8n-workflow';

/** A request as it is sent. */
export interface HttpRequest {
	method: 'DELETE' | 'GET' | 'POST' | 'PUT';
	/** Absolute; of a request with a token, also a path that the credential completes. */
	url: string;
	query?: IDataObject;
	headers: Record<string, string>;
	/** Sent as JSON. */
	body?: IDataObject;
	/** How long to wait until the response begins, in milliseconds. */
	timeout?: number;
	/** Ends the request, and the body of its response. */
	signal: AbortSignal;
	/** Whether to accept a TLS certificate that can't be verified. */
	ignoreSslIssues: boolean;
}

/** What is used of a readable stream of Node.js. */
export interface ByteStream extends NodeJS.ReadableStream {
	destroy(error?: Error): unknown;
	compose(
		gather: (parts: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
	): NodeJS.ReadableStream;
}

/** A response whose body is still to be read, whatever its status. */
export interface HttpResponse {
	statusCode: number;
	/** With lower-case names. */
	headers: Record<string, unknown>;
	body: ByteStream;
}

/** Sends a request and returns its response as soon as it begins. Follows no redirect. */
export type Send = (request: HttpRequest) => Promise<HttpResponse>;
