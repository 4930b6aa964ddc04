import type { IDataObject } from 'n8n-workflow';
import { forgetSecret } from '../../../nodes/VirtualPbx/triggers/callEvent/registration/state';
import { startTrigger, storeCredential } from '../core';
import type { TestTrigger } from '../core';
import { startScriptedPbx } from '../scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx } from '../scriptedPbx';

/** What §4.4 does not show, a PBX may do in its own way. */
export interface Habits {
	/** How a stored webhook is shown. */
	show?: (webhook: IDataObject) => IDataObject;
	/** How a webhook is shown by its id; as in the list otherwise. */
	details?: (webhook: IDataObject) => unknown;
	/** How a list item is shown; as by GET otherwise. */
	list?: (webhook: IDataObject) => unknown;
	/** How the list itself is shown; as an array otherwise. */
	whole?: (items: unknown[]) => unknown;
	/** The answer to the list where there is none. */
	whenEmpty?: ScriptedAnswer;
	/** The list shows what was there so many milliseconds before. */
	listIsLateMs?: number;
	/** The answer to a creation. */
	created?: (webhook: IDataObject) => unknown;
	/** Refuses a second webhook with the same URL and hook. */
	unique?: boolean;
	/** The status of that refusal. */
	refusal?: number;
}

/** An event trigger on a scripted PBX with habits. */
export class OddBench {
	pbx!: ScriptedPbx;
	trigger!: TestTrigger;
	stored = new Map<string, IDataObject>();
	/** The answer to the list, in place of the list. */
	broken: ScriptedAnswer | undefined;
	/** By id: the answer in place of a webhook. */
	unreadable: Record<string, ScriptedAnswer> = {};
	/** Of which event it takes no webhook. */
	refusesHook: string | undefined;

	/** Starts it, with a trigger that is not active yet. */
	async start({
		show = (webhook) => webhook,
		details = show,
		list = show,
		whole = (items) => items,
		whenEmpty,
		listIsLateMs = 0,
		created = show,
		unique,
		refusal = 400,
	}: Habits): Promise<void> {
		this.stored = new Map();
		this.broken = undefined;
		this.refusesHook = undefined;
		this.unreadable = {};
		let count = 0;
		const history: Array<{ at: number; all: IDataObject[] }> = [];
		const listed = () => {
			if (listIsLateMs === 0) return [...this.stored.values()];
			return history.filter(({ at }) => at <= Date.now() - listIsLateMs).at(-1)?.all ?? [];
		};
		const note = () =>
			history.push({ at: Date.now(), all: structuredClone([...this.stored.values()]) });
		const showList = () => this.broken ?? { body: { data: whole(listed().map(list)) } };
		const make = (body: unknown): ScriptedAnswer => {
			const { data } = body as { data: IDataObject };
			if (data.hook === this.refusesHook) return { status: 400, body: { message: 'too many' } };
			const isTaken = [...this.stored.values()].some(
				({ uri, hook }) => uri === data.uri && hook === data.hook,
			);
			if (unique && isTaken) {
				return { status: refusal, body: { status: 'error', message: 'exists already' } };
			}
			const webhook = { ...data, id: `w${++count}` };
			this.stored.set(webhook.id, webhook);
			note();
			return { status: 201, body: created(webhook) };
		};
		this.pbx = await startScriptedPbx(({ method, path, body }) => {
			const id = /\/webhooks\/([^/]+)$/.exec(path)?.[1];
			const found = this.stored.get(id ?? '');
			if (path.endsWith('/user_auth')) return undefined;
			if (method === 'PUT') return make(body);
			if (id === undefined) return this.stored.size === 0 ? (whenEmpty ?? showList()) : showList();
			if (this.unreadable[id]) return this.unreadable[id];
			if (!found) return { status: 404, body: {} };
			if (method === 'DELETE') {
				this.stored.delete(id);
				note();
			}
			return { body: { data: details(found) } };
		});
		const login = { login: 'demo', password: 'x', realm: 'r' };
		this.trigger = await startTrigger({
			type: 'virtualPbxTrigger',
			credential: await storeCredential({ baseUrl: this.pbx.url, ...login }),
			parameters: {
				events: ['started', 'missed'],
				options: { customData: { floor: 3 }, pingsItself: false },
			},
		});
	}

	async close(): Promise<void> {
		await this.trigger.close();
		await this.pbx.close();
	}

	/** Starts n8n again: what its process knew is gone. */
	async restart(): Promise<void> {
		forgetSecret(this.trigger.url());
		await this.trigger.activate('init');
	}

	/** How many requests have changed something. */
	writes(): number {
		const { requests } = this.pbx;
		return requests.filter(({ method }) => ['PUT', 'POST', 'DELETE'].includes(method)).length;
	}

	hooks(): unknown[] {
		return [...this.stored.values()].map(({ hook }) => hook).sort();
	}

	isWell(): boolean {
		return [...this.stored.values()].every(({ enabled }) => enabled !== false);
	}

	switchOff(): void {
		for (const webhook of this.stored.values()) webhook.enabled = false;
	}
}

/** A PBX that changes custom data by itself. */
export function countingPbx(): Habits {
	let count = 0;
	return {
		show: (webhook) => ({
			...webhook,
			custom_data: { ...(webhook.custom_data as object), sent: ++count },
		}),
	};
}
