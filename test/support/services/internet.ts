import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream';
import { listen } from '../../../tools/listen';
import { makeCertificate } from '../certificate';
import type { Service } from './service';

/**
 * Serves simulated services over TLS, which n8n reaches under their real names, all with one certificate, behind a
 * proxy for all of n8n's outgoing requests. Other hosts are rejected, so nothing leaves this machine.
 */
export async function startInternet(services: Service[]) {
	await Promise.all(services.map(async ({ app }) => await app.ready()));
	const hosts = services.flatMap((service) => service.hosts);
	const { key, cert } = await makeCertificate(['localhost', ...hosts]);
	const folder = await mkdtemp(path.join(tmpdir(), 'virtual-pbx-services-'));
	const file = path.join(folder, 'certificate.pem');
	await writeFile(file, cert);
	const serviceOf = (host = '') =>
		services.find((service) => service.hosts.includes(host.replace(/:\d+$/, '')));

	const tls = createServer({ key, cert }, (request, response) =>
		serviceOf(request.headers.host)?.app.routing(request, response),
	);
	const strangers: string[] = [];
	const tunnels = new Set<Socket>();
	const inside = await listen(tls);
	const proxy = createProxy((request, response) => {
		strangers.push(String(request.url));
		response.writeHead(502).end();
	});
	proxy.on('connect', ({ url = '' }, socket) => {
		if (!serviceOf(url)) {
			strangers.push(url);
			socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
			return;
		}
		const inner = connect(Number(new URL(inside.url).port), '127.0.0.1');
		socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
		tunnels.add(inner);
		pipeline(socket, inner, socket, () => tunnels.delete(inner));
	});
	const outside = await listen(proxy);
	return {
		/** n8n's environment variables for the proxy, and to trust the certificate. */
		env: {
			HTTPS_PROXY: outside.url,
			HTTP_PROXY: outside.url,
			NO_PROXY: 'localhost,127.0.0.1,::1',
			NODE_EXTRA_CA_CERTS: file,
		},
		/** Requested hosts that no service simulates. */
		strangers,
		/** For other servers that n8n reaches as `localhost`. */
		tls: { key, cert },
		async close() {
			tunnels.forEach((tunnel) => tunnel.destroy());
			await Promise.all([
				outside.close(),
				inside.close(),
				...services.map(({ app }) => app.close()),
			]);
			await rm(folder, { recursive: true, force: true });
		},
	};
}
