import type { IDataObject } from 'n8n-workflow';

import { asText } from '../../util/json';
import type { Pbx } from '../client';
import type { Dialect } from '../dialects/dialect';
import { CALLFLOW, documentOf, readDocument, readList, scopeOf } from '../documents';
import type { Scope } from '../documents';
import { PbxError } from '../errors/pbxError';
import { TIMEOUTS, unlessAborted } from '../http/timeouts';
import { pivotNodesIn } from './pivotModule';

/** The platform family's format for XML responses, which this package doesn't write. */
const XML = 'twiml';

/** How many callflows of a list are checked for a pivot module, and how many of those are read. */
const MOST_LISTED = 100;
const MOST_READ = 10;

/** The response format of each account, as found during one execution or publication. */
const formats = new WeakMap<Pbx, Map<string, string>>();

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

/**
 * Runs a write whose flow has a response format (`req_format`, §2.2). If the user doesn't set one, uses the format of
 * the callflow's own pivot module, of another one in the account, or of the platform. If the PBX rejects that and
 * lists the formats it accepts, retries once with one of those. `isNamed` means that the user or the PBX chose the
 * format. Reads the callflow's flow if it isn't given.
 */
export async function inFormat<T>(
	scope: Scope,
	place: { format: string | undefined; callflowId?: string | undefined; flow?: IDataObject },
	write: (format: string, isNamed: boolean) => Promise<T>,
): Promise<T> {
	const { dialect } = scope.pbx;
	const named = place.format ?? dialect.responseFormat;
	const writeIn = async (format: string, isNamed: boolean) =>
		await write(format, isNamed).catch((error: unknown) => {
			throw withRejectedAddress(error, dialect);
		});
	if (named !== undefined) return await writeIn(named, true);
	const known = knownFormats(scope.pbx);
	const account = scope.accountId ?? '';
	const found = await (known.get(account) ?? findFormat(scope, place));
	known.set(account, found);
	return await writeIn(found, false).catch(async (error: unknown) => {
		const accepted = acceptedFormat(error, scope.pbx.platform);
		if (accepted === undefined || accepted === found) throw error;
		known.set(account, accepted);
		return await writeIn(accepted, true);
	});
}

/** Adds advice to the error of a PBX that rejects the address of a web service. */
function withRejectedAddress(error: unknown, { rejectedAddress }: Dialect): unknown {
	const { complaints = [] } = error instanceof PbxError ? error.details : {};
	const isRejected = complaints.some(({ field }) => /(?:^|[._])voice_url$/.test(field));
	return error instanceof PbxError && isRejected
		? error.advise({ before: rejectedAddress })
		: error;
}

function knownFormats(pbx: Pbx): Map<string, string> {
	const known = formats.get(pbx) ?? new Map<string, string>();
	formats.set(pbx, known);
	return known;
}

/**
 * Returns the format of the callflow's own pivot module, of others in the account, or of the platform, in this order.
 * Throws if the callflow itself can't be read, since it couldn't be changed either.
 */
async function findFormat(
	scope: Scope,
	{ callflowId, flow }: { callflowId?: string | undefined; flow?: IDataObject },
): Promise<string> {
	const isUnread = callflowId !== undefined && flow === undefined;
	const own = formatIn(isUnread ? (await readDocument(scope, CALLFLOW, callflowId)).flow : flow);
	if (own !== undefined) return own;
	const ending = AbortSignal.timeout(TIMEOUTS.lookUp);
	const looking = unlessAborted(
		ending,
		async () => await formatOfOthers(scope, callflowId, ending),
	);
	// Best effort: a user is waiting, and the platform's name usually works.
	return (await looking.catch(() => undefined)) ?? formatOfPlatform(scope.pbx.platform);
}

/**
 * Looks for a format in a few callflows, one at a time, and skips those that the list shows without a pivot module.
 * Throws at the first failure.
 */
async function formatOfOthers(
	scope: Scope,
	callflowId: string | undefined,
	ending: AbortSignal,
): Promise<string | undefined> {
	const request = { path: [CALLFLOW.path], isOptional: true, ...scopeOf(scope) };
	const listed = await readList(scope.pbx, request, MOST_LISTED);
	const ids = listed
		.filter(({ modules }) => !Array.isArray(modules) || (modules as unknown[]).includes('pivot'))
		.map(({ id }) => asText(id))
		.filter((id) => id !== undefined && id !== callflowId)
		.slice(0, MOST_READ) as string[];
	for (const id of ids) {
		ending.throwIfAborted();
		const path = [CALLFLOW.path, id];
		const body = await scope.pbx.send({ ...request, method: 'GET', path });
		const format = formatIn(documentOf(body)?.flow);
		if (format !== undefined) return format;
	}
	return undefined;
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
