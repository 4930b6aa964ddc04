import type { IBinaryData, IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import type { TakeFile } from '../pbx/http/download';
import { percentDecoded } from '../util/json';

/** Streams a downloaded file into n8n's binary store, with its name and type. `file` is REC_FILE, or empty. */
export function storeFile(
	context: IExecuteFunctions | IPollFunctions,
	file: string,
): TakeFile<IBinaryData> {
	return async ({ stream, headers, address }) => {
		const { fileName, mimeType } = labelFile(headers, file, address);
		const { prepareBinaryData } = context.helpers;
		const readable = stream as Exclude<Parameters<typeof prepareBinaryData>[0], Uint8Array>;
		return await prepareBinaryData(readable, fileName, mimeType);
	};
}

/**
 * Names a downloaded recording by REC_FILE, or else by its address. Leaves the type to n8n unless the PBX states an
 * audio type.
 */
export function labelFile(
	headers: Record<string, unknown>,
	file: string,
	address: string,
): { fileName: string; mimeType: string | undefined } {
	const contentType = String(headers['content-type'] ?? '').toLowerCase();
	const [mimeType] = /^(?:audio|video)\/[\w.-]+/.exec(contentType) ?? [];
	return { fileName: lastSegment(file) || nameIn(address) || 'recording', mimeType };
}

/** Returns the file name in an address. */
function nameIn(address: string): string {
	const { pathname } = URL.canParse(address) ? new URL(address) : { pathname: address };
	return lastSegment(percentDecoded(pathname));
}

function lastSegment(path: string): string {
	const end = path.split(/[/\\]/).pop() ?? '';
	return end.replace(/\p{Cc}/gu, '').trim();
}
