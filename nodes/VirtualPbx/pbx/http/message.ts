import type { IDataObject } from 'n8n-workflow';

export interface HttpRequest {
	method: 'DELETE' | 'GET' | 'POST' | 'PUT';
	/** Absolute. With a token, it can also be a path that the credential completes. */
	url: string;
	query?: IDataObject;
	headers: Record<string, string>;
	/** Sent as JSON. */
	body?: IDataObject;
	/** How long to wait for the response to begin, in milliseconds. */
	timeout?: number;
	/** Ends the request, and the body of its response. */
	signal: AbortSignal;
	/** Whether to accept a TLS certificate that can't be verified. */
	ignoreSslIssues: boolean;
}

/** The parts of a Node.js readable stream that this library uses. */
export interface ByteStream extends NodeJS.ReadableStream {
	destroy(error?: Error): unknown;
	compose(
		gather: (parts: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
	): NodeJS.ReadableStream;
}

/** A response whose body hasn't been read yet, whatever its status. */
export interface HttpResponse {
	statusCode: number;
	/** Names are in lower case. */
	headers: Record<string, unknown>;
	body: ByteStream;
}

/** A response whose body was read as JSON or text. */
export interface ReadResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/** Sends a request and returns its response as soon as it begins. Follows no redirects. */
export type Send = (request: HttpRequest) => Promise<HttpResponse>;
