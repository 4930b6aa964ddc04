import { createClient } from '../../nodes/VirtualPbx/pbx/client';
import { errorOfThrown } from '../../nodes/VirtualPbx/pbx/errors/failures';
import { hostOf } from '../../nodes/VirtualPbx/pbx/request';
import { TIMEOUTS } from '../../nodes/VirtualPbx/pbx/response';
import type { HttpRequest, Send, CredentialData } from '../../nodes/VirtualPbx/pbx/types';
import { CHANGING } from './changing';
import type { Feature, Finding, Permission, Platform, Verdict } from './finding';
import { findingOf, VERDICTS } from './finding';
import { latestRecords, READING } from './reading';
import { RECEIVING } from './receiving';

/** Everything that the nodes need from a platform, in the order of the checks. */
const FEATURES: Array<[Permission, Feature[]]> = [
	['read', READING],
	['write', CHANGING],
	['receive', RECEIVING],
];

/** A platform to check, and the permitted checks. */
interface CheckOptions extends Pick<Platform, 'receiver' | 'show'> {
	/** The fields of the credential. */
	credential: CredentialData;
	send: Send;
	permissions: readonly Permission[];
}

/** A feature with its findings. */
export interface Result extends Pick<Feature, 'name' | 'usedBy'> {
	needs: Permission;
	/** The worst of the findings; undefined if the check wasn't allowed. */
	verdict: Verdict | undefined;
	findings: Finding[];
}

/** Checks the features that the permissions allow. Stops after a failed login. Never throws PbxError. */
export async function checkPlatform(options: CheckOptions): Promise<Result[]> {
	const { credential, permissions, receiver, show } = options;
	let listed: HttpRequest | undefined;
	const send: Send = async (request) => {
		if (new URL(request.url).pathname.endsWith('/callflows')) listed ??= request;
		return await options.send(request);
	};
	const pbx = createClient({ credential, send });
	const callflows = once(async () => await pbx.callflows.list());
	const platform: Platform = {
		...{ pbx, callflows, receiver, show },
		records: once(async () => await latestRecords(pbx)),
		async statusOfUnknownToken() {
			await callflows();
			return await statusOf(options.send, listed);
		},
	};
	const results: Result[] = [];
	for (const [needs, features] of FEATURES)
		for (const { name, usedBy, check } of features) {
			const isAllowed = permissions.includes(needs) && results[0]?.verdict !== 'breaks';
			const findings = isAllowed ? await findingsOf(check(platform)) : [];
			const verdict = isAllowed ? worst(findings) : undefined;
			results.push({ name, usedBy, needs, findings, verdict });
		}
	return results;
}

/** Returns a function that does the work only once, and returns the same result each time. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
	let done: Promise<T> | undefined;
	return async () => await (done ??= work());
}

/** Resends a request with an unknown token. Returns the status. */
async function statusOf(send: Send, listed: HttpRequest | undefined): Promise<number> {
	if (listed === undefined) throw new Error('The callflows were never listed');
	const headers = { ...listed.headers, 'X-Auth-Token': 'no-token' };
	const request = { ...listed, headers, signal: AbortSignal.timeout(TIMEOUTS.login) };
	const response = await send(request).catch((error: unknown) => {
		throw errorOfThrown(error, hostOf(listed.url));
	});
	response.body.resume();
	return response.statusCode;
}

async function findingsOf(check: AsyncIterable<Finding>): Promise<Finding[]> {
	const findings: Finding[] = [];
	try {
		for await (const finding of check) findings.push(finding);
	} catch (error) {
		findings.push(findingOf(error));
	}
	return findings;
}

const worst = (findings: readonly Finding[]): Verdict | undefined =>
	VERDICTS[Math.max(0, ...findings.map(({ verdict }) => VERDICTS.indexOf(verdict)))];
