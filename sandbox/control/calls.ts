import type { Exchange } from '../calls/exchange';
import { callSchema } from '../calls/params';
import type { App } from '../server/types';
import { idParams, missing } from './common';

/** Adds routes to place, watch, and hang up calls. */
export function callRoutes(app: App, exchange: Exchange): void {
	app.post('/calls', { schema: { body: callSchema } }, async (request, reply) => {
		const { wait, ...order } = request.body;
		const call =
			exchange.place(order) ?? missing('account or employee', order.account_id ?? order.from);
		if (wait) await exchange.settled(call, wait === 'ended' ? 'ended' : 'delivered');
		return await reply.code(201).send(call.view());
	});

	app.get('/calls', async () => {
		const calls = exchange.list().map((call) => call.view());
		return { count: calls.length, active: exchange.active, calls };
	});

	app.get('/truth', async () => {
		const calls = exchange.truths();
		return { count: calls.length, calls };
	});

	app.get('/calls/:id', { schema: { params: idParams } }, async (request) => {
		const call = exchange.get(request.params.id) ?? missing('call', request.params.id);
		return call.view();
	});

	app.delete('/calls/:id', { schema: { params: idParams } }, async (request) => {
		const call = exchange.get(request.params.id) ?? missing('call', request.params.id);
		call.hangUp();
		await exchange.settled(call, 'ended');
		return call.view();
	});
}
