import { Readable } from 'node:stream';
import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { routeOperation } from '../../../nodes/VirtualPbx/operations/router';

interface Sent {
	method: string;
	url: string;
	/** Whether the request was under way when the user stopped the execution, and ended with it. */
	isEnded: boolean;
}

/** A node context of which only what the router uses is there; `answer` stands for the PBX. */
function contextOf(
	parameters: Record<string, unknown>,
	count: number,
	answer: (sent: Sent) => unknown,
) {
	const controller = new AbortController();
	const sent: Sent[] = [];
	const context = {
		getNode: () => ({
			id: '1',
			name: 'Virtual PBX',
			type: 'virtualPbx',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		}),
		getInputData: () => Array.from({ length: count }, () => ({ json: {} })),
		getNodeParameter: (name: string, _: number, fallback: unknown) => parameters[name] ?? fallback,
		getCredentials: async () => ({
			baseUrl: 'http://pbx.example',
			login: 'a',
			password: 'b',
			realm: 'c',
		}),
		getExecutionCancelSignal: () => controller.signal,
		continueOnFail: () => true,
		logger: {},
		helpers: {
			async httpRequestWithAuthentication(_: string, options: IHttpRequestOptions) {
				const request = {
					method: String(options.method),
					url: options.url,
					isEnded: false,
				};
				sent.push(request);
				const body = Readable.from([JSON.stringify((await answer(request)) ?? {})]);
				request.isEnded = options.abortSignal?.aborted === true;
				if (request.isEnded) throw Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' });
				return { statusCode: 200, headers: {}, body };
			},
		},
	};
	return {
		context: context as unknown as IExecuteFunctions,
		sent,
		cancel: () => controller.abort(),
	};
}

describe('a cancelled execution', () => {
	it('starts nothing more, also where it should go on after errors', async () => {
		let cancel = () => {};
		let answered = 0;
		const parameters = { resource: 'callflow', operation: 'delete', callflowId: 'x' };
		const run = contextOf(parameters, 100, () => {
			answered += 1;
			if (answered === 3) cancel();
		});
		cancel = run.cancel;

		await expect(routeOperation.call(run.context)).rejects.toThrow('The execution was canceled');
		expect(run.sent).toHaveLength(3);
	});

	it('still removes a callflow that it leaves half done', async () => {
		let cancel = () => {};
		const parameters = {
			resource: 'callflow',
			operation: 'create',
			numbers: '1',
			flowSource: 'pivot',
			serviceUrl: 'http://a.example/b',
		};
		const run = contextOf(parameters, 1, ({ method }) => {
			if (method === 'POST') cancel();
			return { data: { id: 'new' } };
		});
		cancel = run.cancel;

		await expect(routeOperation.call(run.context)).rejects.toThrow('The execution was canceled');
		expect(run.sent.map(({ method, isEnded }) => [method, isEnded])).toEqual([
			['PUT', false],
			['POST', true],
			['DELETE', false],
		]);
	});
});
