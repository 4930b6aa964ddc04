import type { IBinaryData, IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { percentDecoded } from '../values/json';
import type { TakeFile } from './download';

/**
 * Stores a downloaded file in n8n's binary store as it streams in, with its name and type.
 *
 * @param file REC_FILE of the recording, or an empty text
 */
export function storeFile(
	context: IExecuteFunctions | IPollFunctions,
	file: string,
): TakeFile<IBinaryData> {
	return async ({ stream, headers, address }) => {
		const { fileName, mimeType } = labelFile(headers, file, address);
		return { value: await context.helpers.prepareBinaryData(stream, fileName, mimeType) };
	};
}

const SOUND_FILE = /\.(?:aac|amr|flac|gsm|m4a|mp3|mp4|ogg|opus|wav|webm|zip)$/i;

/** Usual endings of files whose type has another name. */
const ENDINGS = new Map([
	['mpeg', 'mp3'],
	['mp4', 'm4a'],
	['wave', 'wav'],
	['vnd.wave', 'wav'],
]);

/**
 * Names a downloaded recording by Content-Disposition, else by REC_FILE, else by its address. Its type is that of
 * Content-Type where that is sound, and otherwise left to n8n, which tells it by the name's ending; a name without one
 * gets it.
 */
export function labelFile(
	headers: Record<string, unknown>,
	file: string,
	address: string,
): { fileName: string; mimeType: string | undefined } {
	const disposition = dispositionName(String(headers['content-disposition'] ?? ''));
	const name = disposition || nameIn(file) || nameIn(address) || 'recording';
	const contentType = String(headers['content-type'] ?? '').toLowerCase();
	const [mimeType, kind = ''] = /^(?:audio|video)\/(?:x-)?([\w.-]+)/.exec(contentType) ?? [];
	const isNamed = mimeType === undefined || SOUND_FILE.test(name);
	return { fileName: isNamed ? name : `${name}.${ENDINGS.get(kind) ?? kind}`, mimeType };
}

/** The file name of a Content-Disposition header (RFC 6266), without any path; an empty text when there is none. */
export function dispositionName(header: string): string {
	const encoded = /filename\*\s*=\s*(?:utf-8|iso-8859-1)?'[^']*'([^;]+)/i.exec(header)?.[1];
	if (encoded !== undefined)
		return lastSegment(percentDecoded(encoded.trim().replace(/^"|"$/g, '')));
	const quoted = /filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(header)?.[1];
	if (quoted !== undefined) return lastSegment(quoted.replace(/\\(.)/g, '$1'));
	return lastSegment(/filename\s*=\s*([^;\s]+)/i.exec(header)?.[1] ?? '');
}

/** The file name of REC_FILE, which may be an address, or of an address. */
function nameIn(file: string): string {
	if (URL.canParse(file) && /^https?:/i.test(file)) {
		return lastSegment(percentDecoded(new URL(file).pathname.split('/').pop() ?? ''));
	}
	// `a.mp3?sig=1` has a query; `what?.mp3` has none.
	return lastSegment(file.replace(/\?[^?/=]+=.*$/, ''));
}

function lastSegment(path: string): string {
	const end = path.split(/[/\\]/).pop() ?? '';
	return end.replace(/\p{Cc}/gu, '').trim();
}
