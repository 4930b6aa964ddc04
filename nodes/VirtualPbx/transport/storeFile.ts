import type { IBinaryData, IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { labelFile } from '../values/fileName';
import type { TakeFile } from './download';
import { inLargePieces } from './stream';

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
		const pieces = inLargePieces(stream);
		const value = await context.helpers.prepareBinaryData(pieces, fileName, mimeType);
		if (extension !== undefined) value.fileExtension = extension;
		return { value, bytes: value.bytes };
	};
}
