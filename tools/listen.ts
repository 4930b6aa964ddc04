import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a server on a free local port. `close` also closes open connections. */
export async function listen(server: Server): Promise<{ url: string; close(): Promise<void> }> {
	// If a server closes an idle connection just as a busy client reuses it, the request is reset.
	server.keepAliveTimeout = 0;
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
