import { Type } from '@sinclair/typebox';
import type { Account } from '../model/account';
import { newId } from '../model/ids';
import type { Pbx } from '../model/pbx';
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

const view = ({ account, webhook }: Found) => ({ ...webhook, account_id: account.id });

const patchSchema = Type.Partial(
	Type.Intersect([webhookSchema.properties.data, Type.Object({ disable_reason: Type.String() })]),
);

/** Adds what happens to webhooks behind the client's back: list, change, disable, double, delete. */
export function webhookControlRoutes(app: App, pbx: Pbx): void {
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

	app.post('/webhooks/:id/duplicate', { schema: { params: idParams } }, async (request, reply) => {
		const { account, webhook } = find(pbx, request.params.id);
		const twin = { ...webhook, id: newId() };
		account.webhooks.put(twin);
		return await reply.code(201).send(view({ account, webhook: twin }));
	});

	app.delete('/webhooks/:id', { schema: { params: idParams } }, async (request) => {
		const { account, webhook } = find(pbx, request.params.id);
		account.webhooks.remove(webhook.id);
		return list();
	});

	app.delete('/webhooks', async () => {
		for (const { account, webhook } of all(pbx)) account.webhooks.remove(webhook.id);
		return list();
	});
}
