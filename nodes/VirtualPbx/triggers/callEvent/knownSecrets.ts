/** A secret, and the login data of which it is made, as hashes. */
interface KnownSecret {
	/** Login and realm: another one is another account, whose deliveries are not ours anymore. */
	loginId: string;
	/** All login data. */
	source: string;
	value: Promise<string>;
}

/** How long the secret of an earlier password counts at most, from when this process has seen the new one. */
const FORMER_MS = 24 * 3_600_000;
/** How long it counts once the new secret is registered: for deliveries under way, and those that are tried again. */
const GRACE_MS = 10 * 60_000;
/** A password may be entered wrongly a few times before it is right. */
const MOST_FORMER = 5;

/**
 * The secrets of one node's webhooks, as far as this process has derived them itself from the credential then in force. After
 * a new password, webhooks still carry the old secret until the check has registered the new one, so both count meanwhile.
 */
export class KnownSecrets {
	private latest: KnownSecret | undefined;
	private former: Array<KnownSecret & { until: number }> = [];
	private doubt: 'none' | 'raised' | 'settled' = 'none';

	/** Returns the latest secret if it was derived from the same login data. */
	knownFor(source: string): Promise<string> | undefined {
		return this.latest?.source === source ? this.latest.value : undefined;
	}

	/** Returns the secret of the credential now in force; derives it where this process does not know it. */
	async take({ loginId, source }: Omit<KnownSecret, 'value'>, derive: () => Promise<string>) {
		const { latest } = this;
		if (latest?.source === source) return await latest.value;
		const known = this.former.find((one) => one.source === source);
		const before = latest ? [...this.former, { ...latest, until: Date.now() + FORMER_MS }] : [];
		this.former = before
			.filter((one) => one.loginId === loginId && one.source !== source)
			.slice(-MOST_FORMER);
		this.latest = { loginId, source, value: known?.value ?? derive() };
		this.doubt = 'none';
		return await this.latest.value;
	}

	/** Returns the secrets of earlier passwords that still count. */
	async stillValid(): Promise<string[]> {
		const now = Date.now();
		this.former = this.former.filter(({ until }) => until > now);
		return await Promise.all(this.former.map(async ({ value }) => await value));
	}

	/** Lets earlier secrets end soon: the new one is registered. */
	retireFormer(): void {
		const until = Date.now() + GRACE_MS;
		this.former = this.former.map((one) => ({ ...one, until: Math.min(one.until, until) }));
	}

	/**
	 * Records that a delivery did not carry the latest secret, so the webhooks may have an old one. Only the first such delivery
	 * counts for each process and password: forged ones must not make the trigger register again and again.
	 *
	 * @returns whether this is news
	 */
	raiseDoubt(): boolean {
		if (this.doubt !== 'none') return false;
		this.doubt = 'raised';
		return true;
	}

	/** Whether the webhooks have to be looked at, since a delivery did not carry the latest secret. */
	get isDoubted(): boolean {
		return this.doubt === 'raised';
	}

	/** Whether webhooks may be taken for right where the PBX does not show what they carry. */
	get mayBeAssumed(): boolean {
		return !this.isDoubted && this.former.length === 0;
	}

	/** Records that the webhooks carry the latest secret now. */
	settle(): void {
		if (this.isDoubted) this.doubt = 'settled';
		this.retireFormer();
	}
}
