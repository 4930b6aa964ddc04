import type { FastifyRequest } from 'fastify';
import type { Exchange } from '../calls/exchange';
import { completeOrder } from '../calls/params';
import type { Account } from '../model/account';
import type { Pbx } from '../model/pbx';
import type { Device } from '../model/types';
import { notFound, ApiError } from '../server/errors';
import type { App } from '../server/types';
import { accountOf } from './auth';
import { envelope } from './envelope';
import { accountParams, itemParams, quickcallParams } from './schemas';

const listItem = ({ id, name, ownerId }: Device) => ({
	...{ id, name, owner_id: ownerId },
	...{ enabled: true, device_type: 'sip_device' },
});

const whole = (device: Device) => ({ ...listItem(device), sip: { username: device.username } });

function find(account: Account, id: string): Device {
	const device = account.device(id);
	if (device) return device;
	throw notFound(id);
}

/**
 * Adds devices and calls from them. The contract doesn't have them but clients of live services use
 * them, so they respond 404 without the setting `click_to_call`. The call rings the device first, then
 * the number.
 */
export function deviceRoutes(app: App, pbx: Pbx, exchange: Exchange): void {
	const all = '/accounts/:account_id/devices';
	const one = `${all}/:id`;
	const accountIn = (request: FastifyRequest, id: string): Account => {
		if (!pbx.settings.click_to_call) throw new ApiError(404);
		return accountOf(request, id);
	};

	app.get(all, { schema: { params: accountParams } }, async (request) => {
		const devices = accountIn(request, request.params.account_id)
			.users()
			.flatMap((user) => user.devices);
		return envelope(request, devices.map(listItem), 1);
	});

	app.get(one, { schema: { params: itemParams } }, async (request) => {
		const account = accountIn(request, request.params.account_id);
		return envelope(request, whole(find(account, request.params.id)), 1);
	});

	app.get(
		`${one}/quickcall/:number`,
		{ schema: { params: quickcallParams } },
		async (request, reply) => {
			const { account_id: id, id: deviceId, number: to } = request.params;
			const account = accountIn(request, id);
			const device = find(account, deviceId);
			const from = account.user({ id: device.ownerId })?.extension ?? '';
			const order = { kind: 'click_to_call', from, to, account_id: account.id } as const;
			exchange.place(completeOrder(order), device);
			const setup = {
				application_name: 'transfer',
				application_data: { route: to },
				endpoints: [{ endpoint_id: device.id, to_user: device.username }],
			};
			return await reply.code(202).send(envelope(request, setup, 1));
		},
	);
}
