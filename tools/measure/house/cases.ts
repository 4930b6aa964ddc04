import type { IDataObject } from 'n8n-workflow';
import type { Checkout } from '../engine/checkout';
import { Engine } from '../engine/engine';
import { exchangeOf } from '../engine/exchange';
import { replaceNetwork } from '../engine/network';
import { PBX_URL, ScriptedPbx } from '../engine/pbx';
import { eventOf, GREGORIAN, recordOf } from '../engine/samples';
import type { Leg } from '../engine/samples';

const now = () => Math.floor(Date.now() / 1000) + GREGORIAN;
const leg = (callId: string, at = now()): Leg => ({
	...{ callId, isFirst: true, caller: '79990000001', callee: '74950000101' },
	...{ at, talkSeconds: 30, cause: 'NORMAL_CLEARING' },
});

/** A PBX, and nodes that use it. */
export class Bench {
	readonly pbx = new ScriptedPbx();
	private readonly credential = {
		baseUrl: PBX_URL,
		login: 'demo',
		password: 'secret-word',
		realm: 'demo.example',
		authToken: '',
	};

	constructor(private readonly checkout: Checkout) {
		replaceNetwork(checkout.axios, (request) => this.pbx.respond(request));
	}

	engine(type: string, parameters: IDataObject = {}): Engine {
		return new Engine(this.checkout, { type, parameters, id: type, credential: this.credential });
	}

	/** Publishes an event trigger for ended calls. */
	async publish(): Promise<Engine> {
		const engine = this.engine('virtualPbxTrigger', { events: ['ended'] });
		if ((await engine.hook('checkExists', 'activate'))[0] !== true)
			await engine.hook('create', 'activate');
		await engine.start('activate');
		return engine;
	}

	/** Creates a delivery of an ended call with its webhook's secret, about 1.5 kB. */
	delivery(callId: string): string {
		const [webhook] = this.pbx.webhooks.values();
		return JSON.stringify(eventOf('DESTROY', leg(callId), webhook?.custom_data as IDataObject));
	}

	/** Creates a record trigger that has polled once, and one new call. */
	async poller(): Promise<Engine> {
		const poller = this.engine('virtualPbxRecordTrigger', { event: 'newCall' });
		await poller.poll('activate');
		this.pbx.records.push(recordOf(leg('polled@10.20.0.5', now() + 10)));
		return poller;
	}

	/** Creates a node that renames a callflow. */
	update(): Engine {
		this.pbx.callflows.set('c1', {
			id: 'c1',
			name: 'Front desk',
			numbers: ['101'],
			patterns: [],
			flow: { module: 'user' },
		});
		const callflowId = { __rl: true, mode: 'id', value: 'c1' };
		const updateFields = { name: 'Desk' };
		return this.engine('virtualPbx', {
			resource: 'callflow',
			operation: 'update',
			callflowId,
			updateFields,
		});
	}
}

function isMethod(target: object, name: string): boolean {
	const descriptor = Object.getOwnPropertyDescriptor(target, name);
	if (descriptor) return typeof descriptor.value === 'function';
	return isMethod(Object.getPrototypeOf(target) as object, name);
}

/** Caches the constant results of n8n's context, so that only this package's code is measured. */
function cachedContext(context: object): object {
	const known = new Map<string, unknown>();
	const inherited = (target: object): string[] =>
		target === Object.prototype
			? []
			: [
					...Object.getOwnPropertyNames(target),
					...inherited(Object.getPrototypeOf(target) as object),
				];
	const source = context as Record<string, (...given: unknown[]) => unknown>;
	const methods = inherited(context).filter(
		(name) => name !== 'constructor' && isMethod(context, name),
	);
	const cached =
		(name: string) =>
		(...given: unknown[]) => {
			const key = `${name} ${String(given[0])}`;
			if (!known.has(key)) known.set(key, source[name]?.(...given));
			return known.get(key);
		};
	return Object.assign(
		Object.create(context) as object,
		Object.fromEntries(methods.map((name) => [name, cached(name)])),
	);
}

const EVENTS = 4000;
const ROUNDS = 9;

const cpuMs = () => {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
};

/**
 * Returns CPU time per event in milliseconds: of this package's code, and of JSON.parse with JSON.stringify of the body,
 * each in its best round.
 */
export async function costOfEvent(
	bench: Bench,
): Promise<{ ours: number; json: number; bytes: number }> {
	const engine = await bench.publish();
	const first = exchangeOf({ raw: bench.delivery('0@10.20.0.5') });
	const context = cachedContext(engine.webhookContext(first.request, first.response));
	const { response } = first;
	const rounds = { ours: [] as number[], json: [] as number[] };
	for (let round = 0; round < ROUNDS; round++) {
		const bodies = Array.from({ length: EVENTS }, (_, at) =>
			bench.delivery(`${round}-${at}@10.20.0.5`),
		);
		const requests = bodies.map((raw) => ({
			body: JSON.parse(raw) as unknown,
			rawBody: Buffer.from(raw),
			headers: { 'content-type': 'application/json' },
			method: 'POST',
		}));
		let began = cpuMs();
		for (const raw of bodies) JSON.stringify(JSON.parse(raw));
		rounds.json.push((cpuMs() - began) / EVENTS);
		began = cpuMs();
		let started = 0;
		for (const request of requests) {
			response.removeAllListeners();
			Object.assign(context, {
				getRequestObject: () => request,
				getBodyData: () => request.body,
				getHeaderData: () => request.headers,
			});
			const result = await engine.type.webhook?.call(context as never);
			if (result?.workflowData) started++;
		}
		rounds.ours.push((cpuMs() - began) / EVENTS);
		if (started !== EVENTS)
			throw new Error(`Only ${started} of ${EVENTS} events started the workflow`);
	}
	const [ours, json] = [Math.min(...rounds.ours), Math.min(...rounds.json)];
	return { ours, json, bytes: bench.delivery('x').length };
}
