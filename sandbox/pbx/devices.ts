import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Call } from '../calls/call';
import type { Exchange } from '../calls/exchange';
import { callSchema, completeOrder } from '../calls/params';
import type { Account } from '../model/account';
import type { Pbx } from '../model/pbx';
import type { Device, User } from '../model/types';
import { omit } from '../model/util';
import { ApiError, notFound } from '../server/errors';
import type { App } from '../server/types';
import { accountOf } from './auth';
import { envelope, listed, passes, type Asked } from './lists';

/** A user in Kazoo's list, which leaves out fields without a value. */
function listedUser({ id, name, email, presenceId, extension }: User): object {
	const [first = '', ...rest] = name.split(' ');
	const fields = {
		...{ id, features: [], username: `user-${extension}`, email, presence_id: presenceId },
		...{ first_name: first, last_name: rest.join(' '), priv_level: 'user', flags: [] },
	};
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

const listedDevice = ({ id, name, ownerId, username, enabled }: Device) => ({
	...{ id, name, username, mac_address: '', owner_id: ownerId },
	...{ enabled, device_type: 'sip_device', flags: [] },
});

/** A stock Kazoo's lists for looking up IDs by name. */
const DIRECTORY: Record<string, (account: Account) => object[]> = {
	vmboxes: (account) =>
		account
			.users()
			.filter(({ mailbox }) => mailbox)
			.map((user) => ({
				...{ id: account.mailboxId(user), name: `${user.name}'s mailbox` },
				...{ mailbox: user.extension, owner_id: user.id },
			})),
	media: (account) =>
		[...account.sounds.keys()].map((name) => ({
			...{ id: account.soundId(name), name, is_prompt: false },
		})),
};

/** The lists for click-to-call, and the devices behind one of their entries. */
const KINDS = {
	users: {
		all: (account: Account): object[] => account.users().map(listedUser),
		one: (account: Account, id: string) => {
			const user = account.user({ id });
			return user && { shown: listedUser(user), devices: user.devices };
		},
	},
	devices: {
		all: (account: Account): object[] => account.devices().map(listedDevice),
		one: (account: Account, id: string) => {
			const device = account.device(id);
			if (!device) return undefined;
			const sip = { username: device.username };
			return { shown: { ...omit(listedDevice(device), 'username'), sip }, devices: [device] };
		},
	},
};

/** The error of a stock Kazoo if no phone can ring. */
const fault = (message: string, data: Record<string, unknown>): ApiError =>
	new ApiError(500, data, message);

/** Returns the phones of a quickcall. A stock Kazoo chooses their Call-IDs beforehand. */
const endpointsOf = (devices: Device[], call?: Call): object[] => {
	const legs = call ? [call.first, ...call.otherPhones] : [];
	return devices.map(({ id, username }, index) => ({
		...{ endpoint_id: id, to_user: username },
		...(legs[index] && { outbound_call_id: legs[index].callId }),
	}));
};

interface Quickcall {
	Params: Asked['Params'] & { number: string };
	Querystring: Record<string, string>;
}

/**
 * Adds users and devices, and calls from them. The contract doesn't have them but clients of live services use them, so
 * they respond 404 without the setting `click_to_call`. The call rings the phones first, then the number. With GET, the
 * response says nothing about the phones; with POST, as on a stock Kazoo, it waits for them. Adds a stock Kazoo's other
 * lists, too.
 */
export function deviceRoutes(app: App, pbx: Pbx, exchange: Exchange): void {
	const isKazoo = () => pbx.settings.profile === 'kazoo';
	const list = (name: string, all: (account: Account) => object[], isThere: () => boolean) =>
		app.get<Asked>(`/accounts/:account_id/${name}`, async (request) => {
			if (!isThere()) throw new ApiError(404);
			const found = all(accountOf(request)).filter((item) => passes(item, request));
			return listed(pbx, request, found);
		});

	for (const [name, all] of Object.entries(DIRECTORY)) list(name, all, isKazoo);
	for (const [name, kind] of Object.entries(KINDS)) {
		list(name, kind.all, () => pbx.settings.click_to_call);
		const one = `/accounts/:account_id/${name}/:id`;
		const find = (request: FastifyRequest) => {
			if (!pbx.settings.click_to_call) throw new ApiError(404);
			const { id } = request.params as Asked['Params'];
			const found = kind.one(accountOf(request), id);
			if (found) return found;
			throw notFound(id);
		};
		app.get(one, async (request) => envelope(request, find(request).shown, 1));

		app.route<Quickcall>({
			method: ['GET', 'POST'],
			url: `${one}/quickcall/:number`,
			schema: { params: Type.Object({ number: callSchema.properties.to }) },
			async handler(request, reply) {
				const account = accountOf(request);
				const { number: to } = request.params;
				const isPost = request.method === 'POST';
				const [device, ...others] = find(request).devices.filter(({ enabled }) => enabled);
				if (isPost && !isKazoo()) throw new ApiError(405);
				if (!device) throw fault('unspecified_fault', {});
				const ringing = [device, ...others].filter(({ connected }) => connected);
				const { 'cid-number': shown } = request.query;
				const order = completeOrder({
					...{ kind: 'click_to_call', to, account_id: account.id },
					from: account.user({ id: device.ownerId })?.extension ?? '',
					...(shown !== undefined && { caller_id: shown }),
				});
				const call = ringing.length > 0 ? exchange.place(order, ...ringing) : undefined;
				if (isPost && !(await call?.pickedUp))
					throw fault('quickcall initiation failed', {
						error_message: call ? 'NO_ANSWER' : 'DESTINATION_OUT_OF_ORDER',
					});
				const setup = {
					...{ application_name: 'transfer', application_data: { route: to } },
					...(isPost && { call_id: call?.first.callId }),
					endpoints: endpointsOf(ringing, isKazoo() ? call : undefined),
				};
				return await reply.code(202).send(envelope(request, setup, 1));
			},
		});
	}
}
