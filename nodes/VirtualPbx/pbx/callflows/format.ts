import type { IDataObject } from 'n8n-workflow';

import { asText } from '../../util/json';
import type { Requester } from '../client';
import type { Dialect } from '../dialects/dialect';
import type { Documents } from '../documents';
import { documentOf } from '../documents';
import { adviseOnField, PbxError } from '../errors/pbxError';
import { TIMEOUTS, unlessAborted } from '../http/timeouts';
import { readList } from '../pages';
import { pivotNodesIn } from './pivotModule';

/** The platform family's format for XML responses, which this package doesn't write. */
const XML = 'twiml';

/** How many callflows of a list are checked for a pivot module, and how many of those are read. */
const MAX_LISTED = 100;
const MAX_READ = 10;

/**
 * Returns the first usable response format in the pivot modules of a flow (§2.2); undefined if there is none. The XML
 * format isn't usable.
 */
export function formatIn(flow: unknown): string | undefined {
	return pivotNodesIn(flow)
		.map(({ data }) => asText((data as IDataObject).req_format)?.trim())
		.find((format) => format !== undefined && isUsable(format));
}

function isUsable(format: string): boolean {
	return format !== '' && format.toLowerCase() !== XML;
}

/** Where a response format is needed. */
export interface FormatPlace {
	/** As set by the user. */
	format: string | undefined;
	/** Undefined for a new callflow. */
	callflowId?: string | undefined;
	/** The callflow's flow, if it was just read. */
	flow?: IDataObject;
}

/** A write in a format. `isNamed` means that the user or the PBX chose it. */
export type WriteInFormat<T> = (format: string, isNamed: boolean) => Promise<T>;

/** The response format (`req_format`, §2.2) that an account's pivot modules need, found out once. */
export class Formats {
	private known: string | undefined;

	constructor(
		private readonly pbx: Requester,
		private readonly documents: Documents,
	) {}

	/**
	 * Runs a write whose flow has a response format. If the user doesn't set one, uses the format of the callflow's own
	 * pivot module, of another one in the account, or of the platform. If the PBX rejects that and lists the formats it
	 * accepts, retries once with one of those. Throws PbxError.
	 */
	async inFormat<T>(place: FormatPlace, write: WriteInFormat<T>): Promise<T> {
		const { dialect, platform } = this.pbx;
		const writeIn: WriteInFormat<T> = async (format, isNamed) =>
			await write(format, isNamed).catch((error: unknown) => {
				throw withRejectedAddress(error, dialect);
			});
		const named = place.format ?? dialect.responseFormat;
		if (named !== undefined) return await writeIn(named, true);
		const found = (this.known ??= await this.find(place));
		return await writeIn(found, false).catch(async (error: unknown) => {
			const accepted = acceptedFormat(error, platform);
			if (accepted === undefined || accepted === found) throw error;
			this.known = accepted;
			return await writeIn(accepted, true);
		});
	}

	/**
	 * Returns the format of the callflow's own pivot module, of others in the account, or of the platform, in this
	 * order. Throws if the callflow itself can't be read, since it couldn't be changed either.
	 */
	private async find({ callflowId, flow }: FormatPlace): Promise<string> {
		const isUnread = callflowId !== undefined && flow === undefined;
		const own = formatIn(isUnread ? (await this.documents.get(callflowId)).flow : flow);
		if (own !== undefined) return own;
		const ending = AbortSignal.timeout(TIMEOUTS.lookUp);
		const looking = unlessAborted(
			ending,
			async () => await this.formatOfOthers(callflowId, ending),
		);
		// Best effort: a user is waiting, and the platform's name usually works.
		return (await looking.catch(() => undefined)) ?? formatOfPlatform(this.pbx.platform);
	}

	/**
	 * Looks for a format in a few callflows, one at a time, and skips those that the list shows without a pivot module.
	 * Throws at the first failure.
	 */
	private async formatOfOthers(
		callflowId: string | undefined,
		ending: AbortSignal,
	): Promise<string | undefined> {
		const request = { path: ['callflows'], isOptional: true };
		const listed = await readList(this.pbx, request, { limit: MAX_LISTED });
		const ids = listed
			.filter(({ modules }) => !Array.isArray(modules) || (modules as unknown[]).includes('pivot'))
			.flatMap(({ id }) => asText(id) ?? [])
			.filter((id) => id !== callflowId)
			.slice(0, MAX_READ);
		for (const id of ids) {
			ending.throwIfAborted();
			const body = await this.pbx.send({ ...request, method: 'GET', path: ['callflows', id] });
			const format = formatIn(documentOf(body)?.flow);
			if (format !== undefined) return format;
		}
		return undefined;
	}
}

/** Adds advice to the error of a PBX that rejects the address of a web service. */
function withRejectedAddress(error: unknown, { rejectedAddress }: Dialect): unknown {
	return adviseOnField(error, ({ field }) => /(?:^|[._])voice_url$/.test(field), rejectedAddress);
}

/** Maps the family's platform names, such as `kazoos`, to their one format. */
function formatOfPlatform(platform: string): string {
	return /^kazoo/i.test(platform) ? 'kazoo' : platform;
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
