import { Type } from '@sinclair/typebox';
import type { Exchange } from '../calls/exchange';
import type { Account } from '../model/account';
import type { Pbx } from '../model/pbx';
import { SettingError, type Settings } from '../model/settings';
import { ApiError } from '../server/errors';
import type { App } from '../server/types';

/** Removes the password from an account. */
function accountView(account: Account) {
	const { id, name, realm, login } = account.identity;
	return {
		id,
		name,
		realm,
		login,
		sounds: [...account.sounds].map(([filename, seconds]) => ({ filename, seconds })),
		users: account.users(),
		callflows: account.callflows.all(),
		webhooks: account.webhooks.all().length,
		cdrs: account.cdrs.size,
	};
}

/** Adds health, state, settings, tokens, and reset. */
export function stateRoutes(app: App, pbx: Pbx, exchange: Exchange): void {
	app.get('/health', async () => ({
		status: 'ok',
		url: pbx.url,
		active_calls: exchange.active,
	}));

	app.get('/state', async () => ({
		settings: pbx.settings,
		accounts: [...pbx.accounts.values()].map(accountView),
	}));

	app.get('/settings', async () => pbx.settings);

	app.patch('/settings', async (request) => {
		try {
			const settings = pbx.change(request.body as Partial<Settings>);
			pbx.bus.publish('settings', () => settings);
			return settings;
		} catch (error) {
			if (error instanceof SettingError) throw new ApiError(400, {}, error.message);
			throw error;
		}
	});

	const expire = Type.Union([
		Type.Object({ account_id: Type.Optional(Type.String()) }),
		Type.Null(),
	]);
	app.post('/tokens/expire', { schema: { body: expire } }, async (request) => ({
		expired: pbx.tokens.expire(request.body?.account_id),
	}));

	app.post('/reset', async () => {
		await exchange.clear();
		pbx.reset();
		return { status: 'ok' };
	});
}
