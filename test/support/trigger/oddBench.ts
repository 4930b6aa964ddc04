import type { IDataObject } from 'n8n-workflow';
import { startTrigger } from '../core';
import type { StoredCredential, TestTrigger } from '../core';
import { credentialOf } from '../operate';
import { startScriptedPbx } from '../scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx } from '../scriptedPbx';

/** How a PBX behaves where §4.4 leaves it open. */
export interface Habits {
	/** Formats a webhook read by its ID. */
	details?: (webhook: IDataObject) => unknown;
	/** Formats a list item. As by ID if missing. */
	list?: (webhook: IDataObject) => unknown;
	/** The response for an empty list. */
	whenEmpty?: ScriptedAnswer;
	/** The response to a creation. */
	created?: (webhook: IDataObject) => unknown;
	/** The log of a webhook's delivery attempts. 404 if missing. */
	attempts?: (id: string) => IDataObject[];
}

function logAnswer(path: string, attempts: Habits['attempts']): ScriptedAnswer {
	const [id = ''] = path.split('/').slice(-2);
	return attempts ? { body: { data: attempts(id) } } : { status: 404, body: {} };
}

/** An event trigger on a scripted PBX with habits. */
export class OddBench {
	pbx!: ScriptedPbx;
	trigger!: TestTrigger;
	credential!: StoredCredential;
	/** Whether it rejects new webhooks. */
	refuse = false;
	private stored = new Map<string, IDataObject>();

	/** Starts the bench, with a trigger that isn't published yet. */
	async start(
		{ details = (webhook) => webhook, list = details, ...habits }: Habits,
		parameters: IDataObject = {
			events: ['started', 'missed'],
			deliveryOptions: { customData: { floor: 3 } },
		},
		login: Parameters<typeof credentialOf>[1] = {},
	): Promise<void> {
		const { whenEmpty, created = details, attempts } = habits;
		this.stored = new Map();
		let count = 0;
		this.pbx = await startScriptedPbx(({ method, path, body }) => {
			const id = /\/webhooks\/([^/]+)$/.exec(path)?.[1];
			if (path.endsWith('/user_auth')) return undefined;
			if (method === 'PUT') {
				if (this.refuse) return { status: 400, body: { message: 'full' } };
				const webhook = { ...(body as { data: IDataObject }).data, id: `w${++count}` };
				this.stored.set(webhook.id, webhook);
				return { status: 201, body: created(webhook) };
			}
			if (path.endsWith('/attempts')) return logAnswer(path, attempts);
			if (id === undefined) {
				const items = [...this.stored.values()].map(list);
				return items.length === 0 && whenEmpty ? whenEmpty : { body: { data: items } };
			}
			const found = this.stored.get(id);
			if (!found) return { status: 404, body: {} };
			if (method === 'DELETE') this.stored.delete(id);
			return { body: { data: details(found) } };
		});
		this.credential = await credentialOf(this.pbx, login);
		this.trigger = await startTrigger({
			type: 'virtualPbxTrigger',
			credential: this.credential,
			parameters: parameters as never,
		});
	}

	async close(): Promise<void> {
		await this.trigger.close();
		await this.pbx.close();
	}

	/** Counts the requests that changed webhooks. */
	writes(): number {
		const { requests } = this.pbx;
		const methods = ['PUT', 'POST', 'DELETE'];
		return requests.filter(
			({ method, path }) => methods.includes(method) && path.includes('/webhooks'),
		).length;
	}

	/** Returns the custom data that the PBX has stored, whatever it shows. */
	customData(): IDataObject[] {
		return [...this.stored.values()].map(({ custom_data: data }) => data as IDataObject);
	}

	/** Adds a webhook of someone else. */
	add(webhook: IDataObject): void {
		this.stored.set('theirs', { ...webhook, id: 'theirs' });
	}

	hooks(): unknown[] {
		return [...this.stored.values()].map(({ hook }) => hook).sort();
	}
}
