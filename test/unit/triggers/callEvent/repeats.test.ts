import { EventEmitter } from 'node:events';
import {
	dedupeKey,
	takeFresh,
} from '../../../../nodes/VirtualPbx/triggers/callEvent/deduplication';

/** An HTTP response under the test's control. */
class Response extends EventEmitter {
	statusCode = 200;
	destroyed = false;

	answer(status: number): void {
		this.statusCode = status;
		this.emit('finish');
		this.emit('close');
	}
}

/** The keys that are repeats. */
async function takeRepeats(keys: string[], response: Response): Promise<Set<string>> {
	const claims = keys.map((key) => ({ lookUp: [key], keep: [key] }));
	const isFresh = await takeFresh(claims, response);
	return new Set(keys.filter((_, index) => !isFresh[index]));
}

let count = 0;
const newKey = () => dedupeKey(['https://n8n.example/webhook/x', `message-${count++}`]);

describe('repeated events', () => {
	it.each<[string, Partial<Response>, (response: Response) => unknown]>([
		['whose sender had gone before n8n took them', { destroyed: true }, () => undefined],
		['that were answered with 500', {}, (response) => response.answer(500)],
		['that were answered with 302', {}, (response) => response.answer(302)],
		['whose connection broke off before the answer', {}, (response) => response.emit('close')],
	])('are not those %s', async (_, state, end) => {
		const key = newKey();
		const first = Object.assign(new Response(), state);
		expect(await takeRepeats([key], first)).toEqual(new Set());
		end(first);
		expect(await takeRepeats([key], new Response())).toEqual(new Set());
	});

	it('never wait for each other in a circle', async () => {
		const [one, two] = [newKey(), newKey()];
		const deliveries = [[one, two], [two, one], [one], [two]].map(async (keys) => {
			const response = new Response();
			const repeats = await takeRepeats(keys, response);
			setImmediate(() => response.answer(200));
			return keys.length - repeats.size;
		});
		const fresh = await Promise.all(deliveries);
		expect(fresh.reduce((sum, size) => sum + size)).toBe(2);
	});

	it('are forgotten, oldest first, when there are many', async () => {
		const oldest = newKey();
		const remember = async (key: string) => {
			const response = new Response();
			await takeRepeats([key], response);
			response.answer(200);
		};
		await remember(oldest);
		for (let index = 0; index < 20_000; index++) await remember(newKey());
		expect(await takeRepeats([oldest], new Response())).toEqual(new Set());
	});

	it('are known by what others have left, in the same delivery, too', async () => {
		const [own, other] = [newKey(), newKey()];
		const first = new Response();
		const claims = [
			{ lookUp: [own], keep: [own, other] },
			{ lookUp: [other], keep: [] },
		];
		expect(await takeFresh(claims, first)).toEqual([true, false]);
		first.answer(200);
		const asking = { lookUp: [newKey(), other], keep: [] };
		expect(await takeFresh([asking], new Response())).toEqual([false]);
	});
});
