import { expectNoLeaks } from './secrets';
import { shared } from './shared';

/** Stops the shared n8n instance. Fails the run if it has stored or printed a secret. */
export default async function globalTeardown(): Promise<void> {
	const { n8n } = shared;
	if (!n8n) return;
	try {
		await expectNoLeaks(n8n);
	} finally {
		await n8n.dispose();
	}
}
