import { asText, isObject } from '../../util/json';
import type { Requester } from '../types';
import { adviseOnField, PbxError } from '../errors/pbxError';

/** The platform family's format for XML responses, which this package doesn't write. */
const XML = 'twiml';

/** Returns the response format in a pivot module's parameters (§2.2); undefined if there is none that we write. */
export function usableFormat(data: unknown): string | undefined {
	const format = isObject(data) ? asText(data.req_format)?.trim() : undefined;
	return format === undefined || !isUsable(format) ? undefined : format;
}

function isUsable(format: string): boolean {
	return format !== '' && format.toLowerCase() !== XML;
}

/**
 * Runs a write whose pivot module has a response format (`req_format`, §2.2): the given one, or else the platform's. If
 * the PBX rejects the platform's and lists those that it accepts, retries once with one of them. Throws PbxError.
 */
export async function inFormat<T>(
	{ dialect, platform }: Pick<Requester, 'dialect' | 'platform'>,
	given: string | undefined,
	write: (format: string) => Promise<T>,
): Promise<T> {
	const ofPlatform = dialect.responseFormat(platform);
	const writing = write(given ?? ofPlatform).catch(async (error: unknown) => {
		const accepted = given === undefined ? acceptedFormat(error, platform) : undefined;
		if (accepted === undefined || accepted === ofPlatform) throw error;
		return await write(accepted);
	});
	return await writing.catch((error: unknown) => {
		const isAddress = ({ field }: { field: string }) => /(?:^|[._])voice_url$/.test(field);
		throw adviseOnField(error, isAddress, dialect.rejectedAddress);
	});
}

/** Chooses one of the formats that an error lists; undefined if the error isn't about the format. */
function acceptedFormat(error: unknown, platform: string): string | undefined {
	if (!(error instanceof PbxError) || error.status !== 400) return undefined;
	const { complaints = [] } = error.details;
	const choices = complaints
		.filter(({ field }) => /(?:^|[._])req_format$/.test(field))
		.flatMap((complaint) => complaint.choices ?? [])
		.filter(isUsable);
	const isNamed = (choice: string) => platform.toLowerCase().startsWith(choice.toLowerCase());
	return choices.find(isNamed) ?? choices[0];
}
