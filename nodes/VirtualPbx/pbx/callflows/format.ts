import type { IDataObject } from 'n8n-workflow';

import { asText } from '../../util/json';
import type { Pbx } from '../client';
import { CALLFLOW, documentOf, readDocument, readList, scopeOf } from '../documents';
import type { Scope } from '../documents';
import { PbxError } from '../errors/pbxError';
import { TIMEOUTS, unlessAborted } from '../http/timeouts';
import { pivotNodesIn } from './pivotModule';

/** A format of the platform's family for answers as XML, which this package doesn't write. */
const XML = 'twiml';

/** How many callflows of a list are looked at for a pivot module, and how many of them are read. */
const MOST_LISTED = 100;
const MOST_READ = 10;

/** The response formats found for each account that one execution or publication works in. */
const formats = new WeakMap<Pbx, Map<string, string>>();

/**
 * Returns the first usable response format that pivot modules of a flow name (§2.2); undefined if none does. The XML
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
 * Runs a write whose flow names a response format (`req_format`, §2.2). Where the user names none, it's that of the
 * callflow's own pivot module, of another one in the account, or of the platform; if the PBX refuses it and says which
 * ones it takes, runs the write once more with one of those. `isNamed` says that the user or the PBX has named the format. The
 * callflow's flow is read where it isn't given.
 */
export async function inFormat<T>(
	scope: Scope,
	place: { format: string | undefined; callflowId?: string | undefined; flow?: IDataObject },
	write: (format: string, isNamed: boolean) => Promise<T>,
): Promise<T> {
	if (place.format !== undefined) return await write(place.format, true);
	const known = knownFormats(scope.pbx);
	const account = scope.accountId ?? '';
	const found = await (known.get(account) ?? findFormat(scope, place));
	known.set(account, found);
	return await write(found, false).catch(async (error: unknown) => {
		const accepted = acceptedFormat(error, scope.pbx.platform);
		if (accepted === undefined || accepted === found) throw error;
		known.set(account, accepted);
		return await write(accepted, true);
	});
}

function knownFormats(pbx: Pbx): Map<string, string> {
	const known = formats.get(pbx) ?? new Map<string, string>();
	formats.set(pbx, known);
	return known;
}

/**
 * Returns the format of the callflow's own pivot module, of others in the account, or of the platform, in this order. Throws
 * where the callflow itself can't be read: it couldn't be changed then, either.
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
	// A user waits, and the platform's name will mostly do.
	return (await looking.catch(() => undefined)) ?? formatOfPlatform(scope.pbx.platform);
}

/**
 * Looks for a format at few callflows only, one after another, and at none where the list says that none has a pivot module.
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

/** Platforms of the family have names such as `kazoos`, and one format. */
function formatOfPlatform(platform: string): string {
	return /^kazoo/i.test(platform) ? 'kazoo' : platform;
}

/** Chooses from the formats that a refusal names; undefined if it isn't about the format. */
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
