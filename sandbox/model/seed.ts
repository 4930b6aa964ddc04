import { Type, type Static } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { Account } from './account';
import { storedNumber } from './callflows';
import { ownFormat, seededAddress, storedFlow } from './flows';
import { stableId } from './ids';
import { oneOf } from './one-of';
import type { Settings } from './settings';
import type { FlowNode, User } from './types';

const list = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
	Type.Array(item, { default: [] });

const userSchema = Type.Object({
	extension: Type.String({ pattern: '^\\d+$' }),
	name: Type.String(),
	devices: Type.Array(
		Type.Object({
			name: Type.String(),
			user_agent: Type.Optional(Type.String()),
			enabled: Type.Boolean({ default: true }),
			connected: Type.Boolean({ default: true }),
		}),
	),
	email: Type.String({ default: '' }),
	presence_id: Type.Optional(Type.String()),
	mailbox: Type.Boolean({ default: true }),
	timeout: Type.Integer({ minimum: 1, default: 20 }),
	delay: Type.Integer({ minimum: 0, default: 0 }),
	strategy: oneOf(['simultaneous', 'single'], { default: 'simultaneous' }),
});

const callflowSchema = Type.Object({
	name: Type.String(),
	numbers: list(Type.String()),
	patterns: list(Type.String()),
	featurecode: Type.Boolean({ default: false }),
	flow: Type.Unsafe<FlowNode>(Type.Object({ module: Type.String() })),
});

const accountSchema = Type.Object({
	name: Type.String(),
	realm: Type.String(),
	login: Type.String(),
	password: Type.String(),
	owner_role: Type.String({ default: 'admin' }),
	users: list(userSchema),
	sounds: list(Type.Object({ filename: Type.String(), seconds: Type.Number({ minimum: 0 }) })),
	callflows: list(callflowSchema),
});

const seedSchema = Type.Object({
	accounts: Type.Array(accountSchema, { minItems: 1 }),
	contacts: list(
		Type.Object({
			number: Type.String(),
			name: Type.String(),
			company: Type.String({ default: '' }),
			manager_extension: Type.String(),
		}),
	),
});

type CheckedSeed = Static<typeof seedSchema>;

/**
 * The sandbox's initial state. Fields with a default are optional.
 * In flows, `@user:100`, `@device:100-1` (first device), and `@callflow:<name>` stand for IDs,
 * `@self` for the callflow's own ID, and `@format` for the platform's own response format.
 */
export type Seed = {
	accounts: Array<Record<string, unknown>>;
	contacts?: Array<Record<string, unknown>>;
};

const checked = new WeakMap<Seed, CheckedSeed>();

/** Validates a seed and fills in its defaults, once for all resets. Throws if it's invalid, with the path. */
export function checkSeed(seed: Seed): CheckedSeed {
	const known = checked.get(seed) ?? fill(seed);
	checked.set(seed, known);
	return structuredClone(known);
}

function fill(seed: Seed): CheckedSeed {
	const filled = Value.Default(seedSchema, Value.Clone(seed));
	const wrong = Value.Errors(seedSchema, filled).First();
	if (wrong) throw new Error(`Seed ${wrong.path || '/'}: ${wrong.message}`);
	return filled as CheckedSeed;
}

/** Returns the ID that a seeded item has after every reset. */
const idIn = (realm: string, reference: string): string => stableId(realm, reference);

/** The realm, callflow, and settings that resolve a flow's references. */
interface Place {
	realm: string;
	id: string;
	settings: Settings;
}

function resolve(value: unknown, { realm, id, settings }: Place): unknown {
	if (typeof value !== 'string') return value;
	if (/^@(user|device|callflow):/.test(value)) return idIn(realm, value);
	const resolved = value.replace('@self', id).replace('@format', ownFormat(settings));
	return seededAddress(resolved, settings);
}

const mapValues = <A, B>(from: Record<string, A>, change: (value: A) => B): Record<string, B> =>
	Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value)]));

/** Returns a flow node with references resolved to IDs and missing parts filled in. */
function makeFlow(node: Partial<FlowNode>, place: Place): FlowNode {
	return {
		module: String(node.module),
		data: mapValues(node.data ?? {}, (value) => resolve(value, place)),
		children: mapValues(node.children ?? {}, (child) => makeFlow(child, place)),
	};
}

function makeUser(seed: CheckedSeed['accounts'][number]['users'][number], realm: string): User {
	const id = idIn(realm, `@user:${seed.extension}`);
	const { timeout, delay, strategy } = seed;
	return {
		id,
		extension: seed.extension,
		presenceId: seed.presence_id ?? seed.extension,
		name: seed.name,
		email: seed.email,
		ring: { timeout, delay, strategy },
		devices: seed.devices.map((device, index) => ({
			id: idIn(realm, `@device:${seed.extension}-${index + 1}`),
			name: device.name,
			username: `user_${seed.extension}_${index + 1}`,
			userAgent: device.user_agent ?? 'Sandbox Phone 1.0',
			ownerId: id,
			enabled: device.enabled,
			connected: device.connected,
		})),
		mailbox: seed.mailbox,
	};
}

/** Adds a callflow for each employee, with the extension as its number, as on a stock Kazoo. */
function addExtensions(account: Account): void {
	for (const user of account.users()) {
		const { id, extension, name, mailbox } = user;
		if (account.callflows.clash('', [extension], [])) continue;
		const box = { module: 'voicemail', data: { id: account.mailboxId(user) }, children: {} };
		account.callflows.put({
			id: idIn(account.realm, `@extension:${extension}`),
			name,
			numbers: [extension],
			patterns: [],
			featurecode: false,
			flow: { module: 'user', data: { id }, children: mailbox ? { _: box } : {} },
		});
	}
}

/** Builds an account with its employees, sounds, numbers, and callflows. */
export function makeAccount(seed: CheckedSeed['accounts'][number], settings: Settings): Account {
	const { realm, name, login, password } = seed;
	const account = new Account({
		id: stableId(realm, 'account'),
		name,
		realm,
		login,
		password,
		ownerId: stableId(realm, 'owner'),
		ownerRole: seed.owner_role,
	});
	for (const user of seed.users) account.addUser(makeUser(user, realm));
	for (const sound of seed.sounds) account.sounds.set(sound.filename, sound.seconds);
	for (const { flow, ...callflow } of seed.callflows) {
		const id = idIn(realm, `@callflow:${callflow.name}`);
		account.callflows.put({
			id,
			fakenumber: false,
			...callflow,
			numbers: callflow.numbers.map((number) => storedNumber(number, settings)),
			flow: storedFlow(makeFlow(flow, { realm, id, settings }), settings),
		});
	}
	if (settings.profile === 'kazoo') addExtensions(account);
	return account;
}
