import type { IBinaryData, IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import type { TakeFile } from '../pbx/http/download';
import { labelFile } from '../pbx/http/fileLabel';

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
