import type { IWebhookFunctions } from 'n8n-workflow';

/** An event has about 4 kB, a routing request about 20 parameters. */
const MAX_BYTES = 1_048_576;

/** The body of a request to a trigger. */
export interface ReceivedBody {
	/** As n8n parsed it; undefined if n8n doesn't know its content type. */
	parsed: unknown;
	/** Without a byte order mark. */
	text: string;
	isJson: boolean;
}

/** Why a body isn't read. */
export interface UnreadBody {
	status: number;
	fault: string;
}

/** Reads a request's body, or says why not. Reads nothing that is too large. */
export async function receiveBody(context: IWebhookFunctions): Promise<ReceivedBody | UnreadBody> {
	const request = context.getRequestObject();
	const { 'content-type': type = '', 'content-length': length = 0 } = request.headers;
	// n8n parses these without keeping their text, or doesn't read them. No PBX sends them.
	if (/^\s*multipart\//i.test(type))
		return { status: 415, fault: "The body is multipart, which PBXs don't send" };
	if (Number(length) > MAX_BYTES) return TOO_LARGE;
	try {
		const isUnread = request.body === undefined && request.method === 'POST';
		if (isUnread) await request.readRawBody?.();
		return readParsed(type, request);
	} catch {
		return { status: 400, fault: "The body can't be read" };
	}
}

function readParsed(
	type: string,
	{ rawBody: raw, body: parsed }: { rawBody?: Buffer; body?: unknown },
): ReceivedBody | UnreadBody {
	const bytes = raw?.length ?? JSON.stringify(parsed ?? '').length;
	if (bytes > MAX_BYTES) return TOO_LARGE;
	const text = raw?.toString('utf8').replace(/^\ufeff/, '') ?? '';
	return { parsed, text, isJson: raw === undefined || /^\s*application\/json\b/i.test(type) };
}

const TOO_LARGE: UnreadBody = { status: 413, fault: 'The body is larger than 1 MiB' };
