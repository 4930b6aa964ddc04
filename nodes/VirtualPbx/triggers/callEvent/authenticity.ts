import type {
	IDataObject,
	IHookFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { hash, scrypt } from 'node:crypto';

import { CREDENTIAL } from '../../parameters/credential';
import { findTags, matchesSecret } from '../../pbx/events/webhookTag';
import type { CredentialData } from '../../pbx/types';
import { loginAsEntered, loginIdOf, readLogin } from '../../pbx/credential';
import { DAY_MS } from '../../util/time';
import { requestCheck } from '../runtime/checks';
import type { NodeRuntime } from '../runtime/nodeRuntime';
import { runtimeOf } from '../runtime/nodeRuntime';

type Context = IHookFunctions | ITriggerFunctions | IWebhookFunctions;

const SECRET_BYTES = 32;

/**
 * Returns the secret that deliveries of this node's webhooks carry, in 64 hexadecimal digits. Derived from the
 * credential and the node, so every n8n process knows it. Throws NodeOperationError or AuthError if the credential
 * can't be read.
 */
export async function secretOf(context: Context, credential?: CredentialData): Promise<string> {
	const data = credential ?? (await context.getCredentials<CredentialData>(CREDENTIAL));
	return await secretFor(runtimeOf(context), data);
}

async function secretFor(runtime: NodeRuntime, data: CredentialData): Promise<string> {
	const source = hash('sha256', JSON.stringify(loginAsEntered(data)));
	const secrets = runtime.memory(KnownSecrets);
	const known = secrets.knownFor(source);
	if (known !== undefined) return await known;
	const { login, password, realm } = readLogin(data);
	const loginId = loginIdOf(data);
	const salt = JSON.stringify([login, realm, runtime.identity]);
	const derive = async () => await slowHash(password, salt);
	return await secrets.take({ loginId, source }, derive);
}

/** Returns the secrets that this process knows of a node's webhooks. */
export function webhookSecretsOf(context: Context): KnownSecrets {
	return runtimeOf(context).memory(KnownSecrets);
}

/** Returns a hash of the workflow and node that identifies a webhook's owner. */
export function ownerOf(context: Context): string {
	return hash('sha256', runtimeOf(context).identity).slice(0, 16);
}

/** Slow on purpose: a secret must not reveal the password. */
async function slowHash(password: string, salt: string): Promise<string> {
	return await new Promise((resolve, reject) => {
		scrypt(password, salt, SECRET_BYTES, (error, key) =>
			error ? reject(error) : resolve(key.toString('hex')),
		);
	});
}

/**
 * Returns the credential if a delivery contains this node's secret (§2.5), undefined if it doesn't: the current secret,
 * or one from an earlier password that this process knows and that is still valid. Another secret triggers an immediate
 * webhook check, if this process runs the checks. Throws if it has a tag and the credential can't be read.
 */
export async function verify(
	context: IWebhookFunctions,
	runtime: NodeRuntime,
	entry: IDataObject,
): Promise<CredentialData | undefined> {
	const given = findTags(entry).map(({ secret }) => secret);
	if (given.length === 0) return undefined;
	const credential = await context.getCredentials<CredentialData>(CREDENTIAL);
	const isCurrent = matchesSecret(given, await secretFor(runtime, credential));
	const secrets = runtime.memory(KnownSecrets);
	if (context.getMode() !== 'manual') {
		if (isCurrent) secrets.retireFormer();
		else if (secrets.raiseDoubt()) requestCheck(context);
	}
	const former = await secrets.stillValid();
	const isGenuine = isCurrent || former.some((secret) => matchesSecret(given, secret));
	return isGenuine ? credential : undefined;
}

/** A secret and hashes of the login data that it is derived from. */
interface KnownSecret {
	/** Login and realm. If they differ, it is another account, whose deliveries no longer belong to this node. */
	loginId: string;
	/** All login data. */
	source: string;
	value: Promise<string>;
}

/** How long an earlier password's secret stays valid at most, once this process has seen the new one. */
const FORMER_MS = DAY_MS;
/** How long it stays valid once the new secret is registered, for deliveries in flight and retries. */
const GRACE_MS = 10 * 60_000;
/** Users can mistype a password a few times. */
const MAX_FORMER = 5;

/**
 * The secrets of one node's webhooks, derived by this process from each credential it has seen. After a password
 * change, webhooks carry the old secret until the check registers the new one, so both are valid meanwhile.
 */
class KnownSecrets {
	private latest: KnownSecret | undefined;
	private former: Array<KnownSecret & { until: number }> = [];
	private doubt: 'none' | 'raised' | 'settled' = 'none';

	/** Returns the latest secret if it was derived from this login data. */
	knownFor(source: string): Promise<string> | undefined {
		return this.latest?.source === source ? this.latest.value : undefined;
	}

	/** Returns the secret of the current credential, deriving it if unknown. */
	async take({ loginId, source }: Omit<KnownSecret, 'value'>, derive: () => Promise<string>) {
		const { latest } = this;
		if (latest?.source === source) return await latest.value;
		const known = this.former.find((one) => one.source === source);
		const before = latest ? [...this.former, { ...latest, until: Date.now() + FORMER_MS }] : [];
		this.former = before
			.filter((one) => one.loginId === loginId && one.source !== source)
			.slice(-MAX_FORMER);
		this.latest = { loginId, source, value: known?.value ?? derive() };
		this.doubt = 'none';
		return await this.latest.value;
	}

	/** Returns the secrets of earlier passwords that are still valid. */
	async stillValid(): Promise<string[]> {
		const now = Date.now();
		this.former = this.former.filter(({ until }) => until > now);
		return await Promise.all(this.former.map(async ({ value }) => await value));
	}

	/** Expires earlier secrets soon, since the new one is registered. */
	retireFormer(): void {
		const until = Date.now() + GRACE_MS;
		this.former = this.former.map((one) => ({ ...one, until: Math.min(one.until, until) }));
	}

	/**
	 * Records that a delivery lacked the latest secret, so the webhooks might have an old one. Only the first such
	 * delivery per process and password counts: forged ones must not cause repeated registrations. Returns whether this
	 * one counts.
	 */
	raiseDoubt(): boolean {
		if (this.doubt !== 'none') return false;
		this.doubt = 'raised';
		return true;
	}

	/** Whether to check the webhooks, since a delivery lacked the latest secret. */
	get isDoubted(): boolean {
		return this.doubt === 'raised';
	}

	/** Whether webhooks can be assumed correct if the PBX doesn't show what they carry. */
	get mayBeAssumed(): boolean {
		return !this.isDoubted && this.former.length === 0;
	}

	/** Records that the webhooks now carry the latest secret. */
	settle(): void {
		if (this.isDoubted) this.doubt = 'settled';
		this.retireFormer();
	}
}
