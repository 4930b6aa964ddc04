import { createClient } from '../../nodes/VirtualPbx/pbx/client';
import type { Send } from '../../nodes/VirtualPbx/pbx/http/message';
import type { CredentialData } from '../../nodes/VirtualPbx/pbx/session/credential';
import { CHANGING } from './changing';
import type { Feature, Finding, Permission, Platform, Verdict } from './finding';
import { findingOf, VERDICTS } from './finding';
import { READING } from './reading';
import { RECEIVING } from './receiving';

/** Everything that the nodes need of a platform, in the order in which it's checked. */
const FEATURES: Feature[] = [...READING, ...CHANGING, ...RECEIVING];

/** A platform to check, and the permitted checks. */
export interface CheckOptions extends Pick<Platform, 'receiver' | 'tell'> {
	/** The fields of the credential. */
	credential: CredentialData;
	send: Send;
	permissions: readonly Permission[];
}

/** A feature with what was found. */
export interface Result extends Pick<Feature, 'name' | 'usedBy' | 'needs'> {
	/** The worst of the findings; undefined if the check wasn't allowed. */
	verdict: Verdict | undefined;
	findings: Finding[];
}

/** Checks the features that the permissions allow, and stops after a login that fails. Never throws PbxError. */
export async function checkPlatform(options: CheckOptions): Promise<Result[]> {
	const { credential, permissions, receiver, tell } = options;
	const addresses: string[] = [];
	const send: Send = async (request) => {
		addresses.unshift(request.url);
		return await options.send(request);
	};
	const addressOf = (...path: string[]) =>
		addresses.find((address) => new URL(address).pathname.endsWith(`/${path.join('/')}`));
	const pbx = createClient({ credential, send });
	const results: Result[] = [];
	for (const feature of FEATURES) {
		const { name, usedBy, needs } = feature;
		const isAllowed = permissions.includes(needs) && results[0]?.verdict !== 'breaks';
		const findings = isAllowed
			? await findingsOf(feature, { pbx, send, addressOf, receiver, tell })
			: [];
		results.push({
			name,
			usedBy,
			needs,
			findings,
			verdict: isAllowed ? worst(findings) : undefined,
		});
	}
	return results;
}

async function findingsOf(feature: Feature, platform: Platform): Promise<Finding[]> {
	const findings: Finding[] = [];
	try {
		for await (const finding of feature.check(platform)) findings.push(finding);
	} catch (error) {
		findings.push(findingOf(error));
	}
	return findings;
}

function worst(findings: readonly Finding[]): Verdict {
	return (
		[...VERDICTS].reverse().find((verdict) => findings.some((one) => one.verdict === verdict)) ??
		'works'
	);
}
