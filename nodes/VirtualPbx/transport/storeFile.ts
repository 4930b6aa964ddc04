import type { IBinaryData, IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { labelFile } from '../values/fileName';
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
