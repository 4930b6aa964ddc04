import { WebhookContext } from 'n8n-core';
import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import type { WebhookRequest, WebhookResponse } from './endpoint';
import { listenForWebhooks } from './endpoint';
import type { Side } from './triggerHost';
import { TriggerHost } from './triggerHost';

/** A request to the trigger's webhook. */
export interface Delivery {
	body?: unknown;
	method?: string;
	headers?: Record<string, string>;
	/** Its fields, or the raw text. */
	query?: Record<string, string> | string;
	/** When the sender hangs up. */
	signal?: AbortSignal;
	side?: Side;
	webhook?: 'default' | 'setup';
}

/** A webhook trigger that listens on its URLs, and starts executions as n8n does. */
export class ListeningTrigger extends TriggerHost {
	/** The JSON items of every execution started by a delivery. */
	readonly executions: IDataObject[][] = [];
	/** Errors thrown by `webhook()`. n8n responds 500 to each and records a failed execution. */
	readonly failures: Error[] = [];
	/** n8n's response instead of the node's: 404 without a route, or 200 with its editor's page. */
	answersInstead: 200 | 404 | 502 | undefined;
	/** Something that n8n waits for before it starts an execution, such as a busy database. */
	beforeStart: (() => Promise<unknown>) | undefined;
	private refusesNext = false;
	private listener: Awaited<ReturnType<typeof listenForWebhooks>> | undefined;

	/** Starts the HTTP listener. `startTrigger` has already called it. */
	async listen(): Promise<void> {
		this.listener = await listenForWebhooks(async (...args) => await this.receive(...args));
		this.instanceUrl = this.listener.url;
	}

	/** Stops listening. Registered webhooks stay registered. */
	async close(): Promise<void> {
		await this.listener?.close();
	}

	/** Makes n8n fail to start the next execution, as with a full disk: the caller gets 500. */
	failNext(): void {
		this.refusesNext = true;
	}

	/** Sends an HTTP request to the webhook: objects as JSON, strings unchanged. */
	async deliver(
		delivery: Delivery = {},
	): Promise<{ status: number; body: string; headers: Headers }> {
		const { body, query = {} } = delivery;
		const target = new URL(
			new URL(this.url(delivery.side, delivery.webhook)).pathname,
			this.listener?.url,
		);
		target.search = typeof query === 'string' ? query : new URLSearchParams(query).toString();
		const raw = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
		const response = await fetch(target, {
			method: delivery.method ?? 'POST',
			headers: { 'content-type': 'application/json', ...delivery.headers },
			...(raw !== undefined && { body: raw }),
			...(delivery.signal && { signal: delivery.signal }),
		});
		return { status: response.status, body: await response.text(), headers: response.headers };
	}

	private async receive(request: WebhookRequest, response: WebhookResponse): Promise<void> {
		if (this.answersInstead !== undefined) {
			response.status(this.answersInstead).send('<html></html>');
			return;
		}
		const target = this.match(request);
		if (!target) {
			response.status(404).json({ message: `${request.method} ${request.path} is not a webhook` });
			return;
		}
		const workflow = this.makeWorkflow(target.side);
		const mode = target.side === 'test' ? 'manual' : 'webhook';
		const data = this.webhookData(workflow, target.webhook, target.side);
		const additional = {
			...data.workflowExecuteAdditionalData,
			httpRequest: request,
			httpResponse: response,
		};
		const context = new WebhookContext(workflow, this.node, additional, mode, data, [], null);
		try {
			const result = await this.type.webhook?.call(context as unknown as IWebhookFunctions);
			await this.answer(result ?? {}, response);
		} catch (error) {
			this.failures.push(error instanceof Error ? error : new Error(String(error)));
			response
				.status(500)
				.json({ message: 'Workflow Webhook Error: Workflow could not be started!' });
		}
	}

	private match({ method, path }: WebhookRequest) {
		for (const side of ['production', 'test'] as const) {
			for (const webhook of this.webhooks) {
				const isPath = new URL(this.url(side, webhook.name)).pathname === path;
				if (isPath && webhook.httpMethod === method) return { side, webhook };
			}
		}
		return undefined;
	}

	private async answer(result: IWebhookResponseData, response: WebhookResponse): Promise<void> {
		const started = result.workflowData;
		if (started) await this.beforeStart?.();
		if (started && this.refusesNext) {
			this.refusesNext = false;
			response.status(500).json({ message: 'There was a problem executing the workflow' });
			return;
		}
		if (started)
			this.executions.push((started[0] ?? []).map(({ json }: INodeExecutionData) => json));
		if (result.noWebhookResponse || response.headersSent) return;
		const words = started ? 'Workflow was started' : 'Webhook call received';
		response.status(200).send(result.webhookResponse ?? { message: words });
	}
}
