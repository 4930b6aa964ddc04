const MAX_URLS = 10_000;

/**
 * The secrets registered by this process, by URL. n8n saves static data only after the registration is done; until
 * then a delivery could not be told from a forged one.
 */
const secrets = new Map<string, string>();

/** Notes the secret that is being registered for a URL. */
export function noteSecret(url: string, secret: string): void {
	secrets.delete(url);
	secrets.set(url, secret);
	const oldest = secrets.keys().next().value;
	if (secrets.size > MAX_URLS && oldest !== undefined) secrets.delete(oldest);
}

/** The secret last registered for a URL by this process. */
export function notedSecret(url: string): string | undefined {
	return secrets.get(url);
}

/** Forgets a URL: its registration is gone. */
export function forgetSecret(url: string): void {
	secrets.delete(url);
}
