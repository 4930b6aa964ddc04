import { faultSchema } from '../faults/schema';
import type { Pbx } from '../model/pbx';
import type { App } from '../server/types';
import { idParams, missing } from './common';

/** Adds routes that switch faults on and off. */
export function faultRoutes(app: App, pbx: Pbx): void {
	const list = () => ({ count: pbx.faults.list().length, faults: pbx.faults.list() });
	const publishAll = () => pbx.bus.publish('faults', list);

	app.get('/faults', async () => list());

	app.post('/faults', { schema: { body: faultSchema } }, async (request, reply) => {
		const fault = pbx.faults.add(request.body);
		publishAll();
		return await reply.code(201).send(fault);
	});

	app.delete('/faults', async () => {
		pbx.faults.clear();
		publishAll();
		return list();
	});

	app.delete('/faults/:id', { schema: { params: idParams } }, async (request) => {
		if (!pbx.faults.remove(request.params.id)) missing('fault', request.params.id);
		publishAll();
		return list();
	});
}
