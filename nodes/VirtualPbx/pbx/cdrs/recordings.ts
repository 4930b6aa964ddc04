import { PbxError } from '../errors/pbxError';
import type { Connection } from '../request';
import type { FileRequest, TakeFile } from '../download';
import { fetchFile } from '../download';
import type { CredentialData } from '../types';
import { readCredential } from '../credential';

/** Returns the address of a recording that a call record names by its ID; undefined if the platform has none. */
export function addressOfRecording(
	data: CredentialData,
	accountId: string | undefined,
	id: string,
): string | undefined {
	const credential = readCredential(data);
	const path = credential.dialect.recordingById?.path(id);
	if (path === undefined) return undefined;
	const { baseUrl, dialect, platform } = credential;
	// The request fills in the account of a login that is still to come.
	const account = encodeURIComponent(accountId || credential.accountId) || '{account_id}';
	return `${baseUrl}${dialect.basePath(platform)}/accounts/${account}/${path}`;
}

/** Streams a recording, see `fetchFile`, and says what a platform lacks that has recordings by their IDs. */
export async function fetchRecording<T>(
	connection: Connection,
	request: FileRequest,
	take: TakeFile<T>,
): Promise<T> {
	const { recordingById } = readCredential(connection.data).dialect;
	return await fetchFile(connection, request, take).catch((error: unknown) => {
		const isMissing = error instanceof PbxError && error.details.isMissing;
		if (!recordingById || !isMissing) throw error;
		const { details, status } = error;
		// An unknown ID is named in the body of the 404, an unknown endpoint has none.
		const isUnknown = status === 404 && details.says === undefined;
		if (!isUnknown && status !== undefined) throw error;
		const words = isUnknown ? recordingById.whenUnknown : recordingById.whenEmpty;
		throw new PbxError({ ...details, ...words }).inRequest({
			method: 'GET',
			path: error.request?.path ?? [],
			headline: words.reason,
		});
	});
}
