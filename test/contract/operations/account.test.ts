import { startPbx } from '../../support/sandbox';
import type { PbxUnderTest } from '../../support/sandbox';

let pbx: PbxUnderTest;
beforeEach(async () => void (pbx = await startPbx()));
afterEach(async () => await pbx.sandbox.close());

const logins = () =>
	pbx.sandbox.pbx.requests.list().filter(({ path }) => path.endsWith('/user_auth')).length;

describe('Account: Get (§5)', () => {
	it('tells account, realm, user and role, and no token', async () => {
		const [item] = await pbx.items('account:get');

		expect(item).toEqual({
			accountId: expect.any(String),
			accountRealm: 'demo.sandbox.local',
			ownerId: expect.any(String),
			ownerRole: expect.any(String),
		});
	});

	it('logs in once for many items, and not at all right after a login', async () => {
		const { output } = await pbx.run('account:get', {}, { items: [{}, {}, {}] });
		expect(output[0]).toHaveLength(3);
		expect(logins()).toBe(1);

		await pbx.items('callflow:getMany');
		await pbx.items('account:get');
		expect(logins()).toBe(1);
	});
});
