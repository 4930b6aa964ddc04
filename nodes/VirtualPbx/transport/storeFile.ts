import type { IBinaryData, IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

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
		const { fileName, mimeType, extension } = labelFile(headers, file, address);
		const value = await context.helpers.prepareBinaryData(stream, fileName, mimeType);
		if (extension !== undefined) value.fileExtension = extension;
		return { value, bytes: value.bytes };
	};
}

const AUDIO_TYPES: Record<string, string> = {
	aac: 'audio/aac',
	amr: 'audio/amr',
	flac: 'audio/flac',
	gsm: 'audio/gsm',
	m4a: 'audio/mp4',
	mp3: 'audio/mpeg',
	mp4: 'video/mp4',
	ogg: 'audio/ogg',
	opus: 'audio/opus',
	wav: 'audio/wav',
	webm: 'audio/webm',
	zip: 'application/zip',
};

const EXTENSIONS: Record<string, string> = {
	'audio/aac': 'aac',
	'audio/flac': 'flac',
	'audio/mp3': 'mp3',
	'audio/mp4': 'm4a',
	'audio/mpeg': 'mp3',
	'audio/ogg': 'ogg',
	'audio/opus': 'opus',
	'audio/vnd.wave': 'wav',
	'audio/wav': 'wav',
	'audio/wave': 'wav',
	'audio/webm': 'webm',
	'audio/x-m4a': 'm4a',
	'audio/x-wav': 'wav',
};

/** Types that say nothing about a recording. */
const VAGUE =
	/^(?:[^/]*|application\/(?:octet-stream|force-download|download|x-download|json)|binary\/octet-stream|text\/(?:plain|html))$/;

/** How a downloaded recording is to be called. */
export interface FileLabel {
	fileName: string;
	/** Undefined when neither the server nor the name tells. */
	mimeType?: string;
	/** Without the dot. */
	extension?: string;
}

/**
 * Names a downloaded recording: by Content-Disposition, else by REC_FILE, else by the address; its type by
 * Content-Type, or by the name where that says nothing. A name without a known ending gets the type's.
 *
 * @param headers the answer's, with lower-case names
 * @param file REC_FILE, or an empty text
 * @param address where the file was found
 */
export function labelFile(
	headers: Record<string, unknown>,
	file: string,
	address: string,
): FileLabel {
	const name = nameFile(headers, file, address);
	const ending = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
	const stated = statedType(headers);
	const mimeType = VAGUE.test(stated) ? AUDIO_TYPES[ending] : stated;
	const type = mimeType === undefined ? {} : { mimeType };
	if (ending in AUDIO_TYPES) return { fileName: name, extension: ending, ...type };

	const extension = EXTENSIONS[mimeType ?? ''];
	return extension === undefined
		? { fileName: name, ...type }
		: { fileName: `${name}.${extension}`, extension, ...type };
}

function nameFile(headers: Record<string, unknown>, file: string, address: string): string {
	const candidates = [
		dispositionName(String(headers['content-disposition'] ?? '')),
		nameIn(file),
		nameIn(address),
	];
	return candidates.find((name) => name !== '') ?? 'recording';
}

function statedType(headers: Record<string, unknown>): string {
	const [type = ''] = String(headers['content-type'] ?? '').split(';');
	return type.trim().toLowerCase();
}

/** The file name of a Content-Disposition header (RFC 6266), without any path; an empty text when there is none. */
export function dispositionName(header: string): string {
	const encoded = /filename\*\s*=\s*(?:utf-8|iso-8859-1)?'[^']*'([^;]+)/i.exec(header)?.[1];
	if (encoded !== undefined) return lastSegment(decode(encoded.trim().replace(/^"|"$/g, '')));
	const quoted = /filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(header)?.[1];
	if (quoted !== undefined) return lastSegment(quoted.replace(/\\(.)/g, '$1'));
	return lastSegment(/filename\s*=\s*([^;\s]+)/i.exec(header)?.[1] ?? '');
}

/** The file name of REC_FILE, which may be an address, or of an address. */
function nameIn(file: string): string {
	if (URL.canParse(file) && /^https?:/i.test(file)) {
		return lastSegment(decode(new URL(file).pathname.split('/').pop() ?? ''));
	}
	// `a.mp3?sig=1` has a query; `what?.mp3` has none.
	return lastSegment(file.replace(/\?[^?/=]+=.*$/, ''));
}

function lastSegment(path: string): string {
	const end = path.split(/[/\\]/).pop() ?? '';
	return [...end]
		.filter((sign) => sign >= ' ')
		.join('')
		.trim();
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
