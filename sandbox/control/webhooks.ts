import { Type, type Static } from '@sinclair/typebox';
import type { Exchange } from '../calls/exchange';
import type { Account } from '../model/account';
import { newCallId } from '../model/ids';
import type { Pbx } from '../model/pbx';
import { gregorianNow } from '../model/time';
import type { Webhook } from '../model/types';
import { webhookSchema } from '../pbx/schemas';
import type { App } from '../server/types';
import { idParams, missing } from './common';

interface Found {
	account: Account;
	webhook: Webhook;
}

function all(pbx: Pbx): Found[] {
	return [...pbx.accounts.values()].flatMap((account) =>
		account.webhooks.all().map((webhook) => ({ account, webhook })),
	);
}

const find = (pbx: Pbx, id: string): Found =>
	all(pbx).find(({ webhook }) => webhook.id === id) ?? missing('webhook', id);

/** Returns a webhook's state: switched off, or the result of its latest delivery. */
function stateOf({ account, webhook }: Found): 'failing' | 'ok' | 'switched off' {
	if (!webhook.enabled) return 'switched off';
	return account.webhooks.isFailing(webhook.id) ? 'failing' : 'ok';
}

const view = (found: Found) => ({
	...found.webhook,
	account_id: found.account.id,
	state: stateOf(found),
});

const patchSchema = Type.Partial(
	Type.Intersect([webhookSchema.properties.data, Type.Object({ disable_reason: Type.String() })]),
);

const eventSchema = Type.Object(
	{
		name: Type.String({ pattern: '^[A-Z_]+$' }),
		args: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
	},
	{ additionalProperties: false },
);

/** Builds an event of any name, with the fields that every event has (§6) as defaults. */
const handMade = ({ id, realm }: Account, { name, args }: Static<typeof eventSchema>) => ({
	name,
	args: {
		'Event-Name': name,
		'Event-Category': 'call_event',
		'Call-ID': newCallId(),
		'Call-Direction': 'inbound',
		Timestamp: gregorianNow(),
		'Custom-Channel-Vars': { 'Account-ID': id, Realm: realm },
		...args,
	},
});

/** Adds routes that change webhooks behind the client's back: list, change, disable, send through, delete. */
export function webhookControlRoutes(app: App, pbx: Pbx, exchange: Exchange): void {
	const list = () => {
		const webhooks = all(pbx).map(view);
		return { count: webhooks.length, webhooks };
	};

	app.get('/webhooks', async () => list());

	app.patch(
		'/webhooks/:id',
		{ schema: { params: idParams, body: patchSchema } },
		async (request) => {
			const { account, webhook } = find(pbx, request.params.id);
			const changed = { ...webhook, ...request.body } as Webhook;
			account.webhooks.put(changed);
			return view({ account, webhook: changed });
		},
	);

	app.post(
		'/webhooks/:id/events',
		{ schema: { params: idParams, body: eventSchema } },
		async (request) => {
			const { account, webhook } = find(pbx, request.params.id);
			const event = handMade(account, request.body);
			const msgId = await exchange.push(account, webhook, event);
			const deliveries = pbx.deliveries.list().filter(({ msg_id: id }) => id === msgId);
			return { count: deliveries.length, deliveries };
		},
	);

	app.delete('/webhooks/:id', { schema: { params: idParams } }, async (request) => {
		const { account, webhook } = find(pbx, request.params.id);
		account.webhooks.remove(webhook.id);
		return list();
	});
}
