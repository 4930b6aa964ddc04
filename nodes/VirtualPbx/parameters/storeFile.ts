import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import type { OpenFile, TakeFile } from '../pbx/download';
import { soundTypeOf } from '../pbx/download';
import { percentDecoded } from '../util/json';

/** Streams a downloaded file into n8n's binary store, with its name and type. `file` is REC_FILE, or empty. */
export function storeFile(
	context: { helpers: Pick<IExecuteFunctions['helpers'], 'prepareBinaryData'> },
	file: string,
): TakeFile<IBinaryData> {
	return async (open) => {
		const { fileName, mimeType } = labelFile(open, file);
		const { prepareBinaryData } = context.helpers;
		const readable = open.stream as Exclude<Parameters<typeof prepareBinaryData>[0], Uint8Array>;
		return await prepareBinaryData(readable, fileName, mimeType);
	};
}

/** Extensions of sound files for which n8n knows the type. */
const SOUND_NAME = /\.(?:aac|aiff?|amr|au|flac|m4a|mp[34]|og[ag]|opus|wav|webm|wma)$/i;

/**
 * Names a downloaded recording by REC_FILE, or else by its address, or by what the PBX calls it: a Kazoo's ID has no
 * extension, by which services that transcribe go. Its type is what the PBX states if that is sound or
 * video, or else what its first bytes show. Undefined leaves it to n8n, which goes by the name but takes a file with an
 * unknown extension for text.
 */
export function labelFile(
	{ headers, address, start }: Omit<OpenFile, 'stream'>,
	file: string,
): { fileName: string; mimeType: string | undefined } {
	const stated = /filename="?([^";]+)/i.exec(String(headers['content-disposition'] ?? ''))?.[1];
	const names = [lastSegment(file) || nameIn(address), lastSegment(stated ?? ''), 'recording'];
	const fileName = names.find((name) => SOUND_NAME.test(name)) ?? names.find(Boolean) ?? '';
	const contentType = String(headers['content-type'] ?? '').toLowerCase();
	const [sound] = /^(?:audio|video)\/[\w.-]+/.exec(contentType) ?? [];
	const unknown = SOUND_NAME.test(fileName) ? undefined : 'application/octet-stream';
	return { fileName, mimeType: sound ?? soundTypeOf(start) ?? unknown };
}

/** Returns the file name in an address. */
function nameIn(address: string): string {
	const { pathname } = URL.canParse(address) ? new URL(address) : { pathname: address };
	return lastSegment(percentDecoded(pathname));
}

/** The longest name that file systems take, in bytes. */
const MAX_NAME_BYTES = 255;
/** Names that Windows takes for devices. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** Returns a path's last part as a file name that any system takes, and that looks like what it is; empty for none. */
function lastSegment(path: string): string {
	const end = path.split(/[/\\]/).pop() ?? '';
	const name = end
		// Control and bidirectional characters, which hide what follows them, and half characters.
		.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
		.replace(/^[.\s]+|[.\s]+$/g, '')
		.replace(DEVICE, '$&_');
	const [extension = ''] = /\.\w{1,8}$/.exec(name) ?? [];
	const stem = name.slice(0, name.length - extension.length);
	return cutToBytes(stem, MAX_NAME_BYTES - extension.length) + extension;
}

/** Cuts a text to a number of bytes, between characters. */
function cutToBytes(text: string, bytes: number): string {
	const characters = [...text].slice(0, bytes);
	while (Buffer.byteLength(characters.join('')) > bytes) characters.pop();
	return characters.join('');
}
