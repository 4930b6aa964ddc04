import { newSecret } from '../../../../nodes/VirtualPbx/events/secret';
import { notedSecret } from '../../../../nodes/VirtualPbx/triggers/callEvent/registration/state';
import { recoverSecret } from '../../../../nodes/VirtualPbx/triggers/callEvent/trust';
import type { Pbx } from '../../../../nodes/VirtualPbx/transport/pbx';

/** A PBX with one webhook of ours; counts how often it is asked. */
function pbxWith(url: string, secret: string) {
	const webhook = { id: 'w1', uri: url, custom_data: { n8n_webhook_secret: secret } };
	const attempt = jest.fn<ReturnType<Pbx['attempt']>, Parameters<Pbx['attempt']>>(
		async ({ path }) => ({
			ok: true,
			body: { data: path.length === 1 ? [webhook] : webhook },
		}),
	);
	return { attempt } as unknown as Pbx & { attempt: jest.Mock };
}

describe('a lost secret', () => {
	it('is asked for at the PBX once, however many deliveries come', async () => {
		const url = 'https://n8n.example/webhook/recover-1';
		const secret = newSecret();
		const pbx = pbxWith(url, secret);
		await Promise.all(
			Array.from({ length: 50 }, async () => await recoverSecret(url, async () => pbx)),
		);
		expect(notedSecret(url)).toBe(secret);
		expect(pbx.attempt).toHaveBeenCalledTimes(2);
	});

	it('is asked for again only after half a minute', async () => {
		const url = 'https://n8n.example/webhook/recover-2';
		const pbx = pbxWith(url, newSecret());
		for (const now of [0, 10_000, 29_999, 30_000, 45_000])
			await recoverSecret(url, async () => pbx, now);
		expect(pbx.attempt).toHaveBeenCalledTimes(4);
	});

	it('stays lost when the PBX fails or shows none', async () => {
		const url = 'https://n8n.example/webhook/recover-3';
		const pbx = pbxWith(url, '***');
		await recoverSecret(url, async () => pbx);
		expect(notedSecret(url)).toBeUndefined();
		await expect(
			recoverSecret(`${url}b`, async () => {
				throw new Error('no credential');
			}),
		).rejects.toThrow('no credential');
	});
});
