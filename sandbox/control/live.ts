import type { Pbx } from '../model/pbx';
import type { App } from '../server/types';

/** Adds the page's stream of everything that happens (server-sent events). */
export function liveRoutes(app: App, pbx: Pbx): void {
	const closers = new Set<() => void>();
	app.addHook('preClose', async () => {
		for (const close of closers) close();
	});

	app.get('/events', async (request, reply) => {
		reply.hijack();
		const { raw } = reply;
		raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
		raw.write('retry: 1000\n\n');
		const stop = pbx.bus.listen((type, data) => {
			raw.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
		});
		const close = () => {
			stop();
			closers.delete(close);
			raw.end();
		};
		closers.add(close);
		request.raw.on('close', close);
	});
}
