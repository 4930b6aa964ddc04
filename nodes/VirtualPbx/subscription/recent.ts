import type { Home } from './state';

const MAX_URLS = 10_000;

/** Which node a registration belongs to, whatever its address. */
export type Holder = Pick<Home, 'workflowId' | 'nodeId'>;

interface Noted {
	secret: string;
	holder: string | undefined;
}

/**
 * The secrets registered or seen by this process, by URL, and which node has registered or checked them. n8n saves
 * static data only after the registration is done; until then a delivery could not be told from a forged one, and
 * whoever deactivates would not know that anything is registered.
 */
const noted = new Map<string, Noted>();

/**
 * Notes the secret that is being registered for a URL.
 *
 * @param holder the node that registers it or has found it in order; whoever only asks leaves the holder as it was
 */
export function noteSecret(url: string, secret: string, holder?: Holder): void {
	const whose = holder ? nameOf(holder) : noted.get(url)?.holder;
	noted.delete(url);
	noted.set(url, { secret, holder: whose });
	const oldest = noted.keys().next().value;
	if (noted.size > MAX_URLS && oldest !== undefined) noted.delete(oldest);
}

/** The secret last registered or seen for a URL by this process. */
export function notedSecret(url: string): string | undefined {
	return noted.get(url)?.secret;
}

/** Tells whether a node holds a URL: it has registered there, or found its registration in order, in this process. */
export function holds(url: string, holder: Holder): boolean {
	return noted.get(url)?.holder === nameOf(holder);
}

/** Tells whether another node holds a URL: two workflows may have one path, of which n8n serves one. */
export function isHeldByAnother(url: string, holder: Holder): boolean {
	const whose = noted.get(url)?.holder;
	return whose !== undefined && whose !== nameOf(holder);
}

/** Forgets a URL: its registration is gone. */
export function forgetSecret(url: string): void {
	noted.delete(url);
}

function nameOf({ workflowId, nodeId }: Holder): string {
	return JSON.stringify([workflowId, nodeId]);
}
