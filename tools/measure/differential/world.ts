import type { IDataObject, INodeTypeDescription } from 'n8n-workflow';
import type { Checkout } from '../engine/checkout';
import type { Clock } from '../engine/clock';
import { Engine } from '../engine/engine';
import type { NodeSetup } from '../engine/engine';
import type { Reply, SentRequest } from '../engine/network';
import { PBX_URL } from '../engine/pbx';
import type { ScriptedPbx } from '../engine/pbx';
import { GREGORIAN } from '../engine/samples';
import type { Leg } from '../engine/samples';
import { ODD_REPLIES } from './corpus';
import { randomParameters } from './parameters';
import type { Random } from './random';

/** One input and its outcome. */
export interface Step {
	kind: string;
	scenario: number;
	what: string;
	outcome: unknown;
}

interface Parts {
	checkout: Checkout;
	clock: Clock;
	pbx: ScriptedPbx;
	descriptions: Record<string, INodeTypeDescription>;
	random: Random;
	kind: string;
	scenario: number;
	emit: (step: Step) => void;
}

/** A scenario's environment: its own PBX, clock, and nodes. */
export class World {
	readonly pbx: ScriptedPbx;
	readonly clock: Clock;
	readonly random: Random;
	readonly credential: IDataObject;
	private engines = 0;

	constructor(private readonly parts: Parts) {
		({ pbx: this.pbx, clock: this.clock, random: this.random } = parts);
		const login = `demo-${parts.kind}-${parts.scenario}`;
		const country = this.random.pick(['', '', 'RU', 'US', 'GB']);
		const given = { baseUrl: PBX_URL, login, password: 'secret-word', realm: 'demo.example' };
		this.credential = { ...given, country, authToken: '' };
	}

	/** The current time in Gregorian seconds. */
	get now(): number {
		return Math.floor(this.clock.now / 1000) + GREGORIAN;
	}

	/** Creates a node with its own ID. */
	engine(type: string, parameters: IDataObject, more: Partial<NodeSetup> = {}): Engine {
		const { checkout, kind, scenario } = this.parts;
		const id = `${kind}-${scenario}-${this.engines++}`;
		const credential = this.credential as NodeSetup['credential'];
		return new Engine(checkout, { type, parameters, id, credential, ...more });
	}

	/** Generates parameters as a user might have saved them. */
	parameters(type: string, oddity: number, given: IDataObject = {}): IDataObject {
		const description = this.parts.descriptions[type];
		if (!description) throw new Error(`No description of ${type}`);
		return randomParameters({ random: this.random, oddity, description }, given);
	}

	/** Runs the node on one input, and records the outcome. */
	async step<T>(what: string, engine: Engine, run: () => Promise<T>): Promise<T | undefined> {
		let output: T | undefined;
		let error: unknown;
		try {
			output = await this.clock.settle(run());
		} catch (thrown) {
			error = thrown;
		}
		const { kind, scenario, emit } = this.parts;
		const [log, reported] = [engine.log.splice(0), engine.reported.splice(0)];
		const requests = sortReads(this.pbx.takeRequests());
		emit({ kind, scenario, what, outcome: { output, error, requests, log, reported } });
		return output;
	}

	/** Lets the PBX misbehave: for some requests, for a while or permanently. */
	behaveOddly(): void {
		const { random } = this;
		const place = random.pick([
			/user_auth/,
			/GET.*callflows/,
			/webhooks/,
			/cdrs/,
			/attempts|recorded/,
			/PUT|POST|DELETE/,
			/./,
		]);
		const replies = [random.pick(ODD_REPLIES), random.pick(ODD_REPLIES)];
		const times = random.pick([1, 1, 2, Infinity]);
		const counts = new Map<string, number>();
		this.pbx.quirks.odd = ({ method, url }: SentRequest): Reply | undefined => {
			const key = `${method} ${url}`;
			const count = counts.get(key) ?? 0;
			counts.set(key, count + 1);
			return place.test(key) && count < times ? replies[count % 2] : undefined;
		};
	}

	/** Creates a leg of a recent call. */
	leg(changes: Partial<Leg> = {}): Leg {
		const { random } = this;
		const numbers = [
			'79990000001',
			'101',
			'102',
			'74950000101',
			'anonymous',
			'+79990000002',
			'user_ann',
		];
		const talkSeconds = random.pick([0, 0, 1, 30, 600]);
		return {
			...{ callId: `c${random.whole(1, 4)}@10.20.0.5`, isFirst: random.chance(0.5), at: this.now },
			...{ caller: random.pick(numbers), callee: random.pick(numbers), talkSeconds },
			cause: random.pick([
				'NORMAL_CLEARING',
				'USER_BUSY',
				'NO_ANSWER',
				'ORIGINATOR_CANCEL',
				'LOSE_RACE',
				'CALL_REJECTED',
				'ODD',
			]),
			...changes,
		};
	}
}

/** Sorts consecutive reads, since parallel reads can be sent in any order. */
function sortReads(requests: SentRequest[]): SentRequest[] {
	const isRead = ({ method }: SentRequest) => method === 'GET';
	const sorted: SentRequest[] = [];
	for (let at = 0; at < requests.length; ) {
		const end = requests.findIndex(
			(one, index) => index > at && (!isRead(one) || !isRead(requests[at] as SentRequest)),
		);
		const part = requests.slice(at, end < 0 ? undefined : end);
		sorted.push(...part.sort((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : 0)));
		at = end < 0 ? requests.length : end;
	}
	return sorted;
}
