import { withCleanups } from '../../../tools/cleanups';

describe('what was started', () => {
	const ended: string[] = [];
	beforeEach(() => (ended.length = 0));

	it('is ended after the work, the last first', async () => {
		const result = await withCleanups(async (later) => {
			later(() => ended.push('sandbox'));
			later(async () => await Promise.resolve(ended.push('n8n')));
			return await Promise.resolve(ended.length);
		});

		expect([result, ...ended]).toEqual([0, 'n8n', 'sandbox']);
	});

	it('is ended when a later start fails, and the failure is told', async () => {
		const work = withCleanups(async (later) => {
			later(() => ended.push('sandbox'));
			await Promise.reject(new Error('n8n is not set up here'));
		});

		await expect(work).rejects.toThrow('n8n is not set up here');
		expect(ended).toEqual(['sandbox']);
	});
});
