import { Type, type Static } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { Account } from './account';
import { storedFlow, storedNumber } from './callflows';
import { oneOf } from './schema';
import type { Settings } from './settings';
import type { FlowNode, User } from './types';
import { mapValues, stableId } from './util';

const list = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
	Type.Array(item, { default: [] });

const accountSchema = Type.Object({
	name: Type.String(),
	realm: Type.String(),
	login: Type.String(),
	password: Type.String(),
	users: list(
		Type.Object({
			extension: Type.String({ pattern: '^\\d+$' }),
			name: Type.String(),
			devices: Type.Array(
				Type.Object({
					name: Type.String(),
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
		}),
	),
	sounds: list(Type.Object({ filename: Type.String(), seconds: Type.Number({ minimum: 0 }) })),
	callflows: list(
		Type.Object({
			name: Type.String(),
			numbers: list(Type.String()),
			patterns: list(Type.String()),
			featurecode: Type.Boolean({ default: false }),
			flow: Type.Unsafe<FlowNode>(Type.Object({ module: Type.String() })),
		}),
	),
});

const seedSchema = Type.Object({ accounts: Type.Array(accountSchema, { minItems: 1 }) });

type AccountSeed = Static<typeof accountSchema>;

/**
 * The sandbox's initial state. Fields with a default are optional.
 * In flows, `@user:100`, `@device:100-1` (first device), and `@callflow:<name>` stand for IDs,
 * `@self` for the callflow's own ID, and `@format` for the platform's own response format.
 */
export type Seed = { accounts: Array<Record<string, unknown>> };

/** Validates a seed and fills in its defaults. Throws if it's invalid, with the path. */
export function checkSeed(seed: Seed): Static<typeof seedSchema> {
	const filled = Value.Default(seedSchema, Value.Clone(seed));
	const wrong = Value.Errors(seedSchema, filled).First();
	if (wrong) throw new Error(`Seed ${wrong.path || '/'}: ${wrong.message}`);
	return filled as Static<typeof seedSchema>;
}

/** The contract's form of a pivot module's address (§2.2). */
const DFLOW = /^\{dflow\}&callflow_id=(.+)&webserver=(.+)$/;

/** Returns a value of a flow with its references resolved to IDs, and addresses in the form of the settings. */
function resolve(value: unknown, callflowId: string, realm: string, settings: Settings): unknown {
	if (typeof value !== 'string') return value;
	if (/^@(user|device|callflow):/.test(value)) return stableId(realm, value);
	const resolved = value.replace('@self', callflowId).replace('@format', ownFormat(settings));
	if (settings.voice_urls === 'dflow') return resolved;
	return resolved.replace(DFLOW, (_, id, server) => `http://${server}?callflow_id=${id}`);
}

/** The platform's own response format (§2.2 `req_format`), the same on every stock Kazoo. */
const ownFormat = ({ profile, platform }: Settings): string =>
	profile === 'kazoo' ? 'kazoo' : platform;

/** Returns a flow node with its values resolved and missing parts filled in. */
const makeFlow = (
	{ module, data = {}, children = {} }: Partial<FlowNode>,
	valueOf: (value: unknown) => unknown,
): FlowNode => ({
	module: String(module),
	data: mapValues(data, valueOf),
	children: mapValues(children, (child) => makeFlow(child, valueOf)),
});

function makeUser(seed: AccountSeed['users'][number], realm: string): User {
	const { extension, presence_id: presenceId = extension, timeout, delay, strategy } = seed;
	const { name, email, mailbox } = seed;
	const id = stableId(realm, `@user:${extension}`);
	const devices = seed.devices.map((device, index) => ({
		id: stableId(realm, `@device:${extension}-${index + 1}`),
		...device,
		username: `user_${extension}_${index + 1}`,
		ownerId: id,
	}));
	const ring = { timeout, delay, strategy };
	return { id, extension, presenceId, name, email, ring, devices, mailbox };
}

/** Adds a callflow for each employee, with the extension as its number, as on a stock Kazoo. */
function addExtensions(account: Account): void {
	const { callflows, realm } = account;
	for (const user of account.users()) {
		const { id, extension, name, mailbox } = user;
		if (callflows.match(extension)?.numbers.includes(extension)) continue;
		const box = { module: 'voicemail', data: { id: account.mailboxId(user) }, children: {} };
		callflows.put({
			id: stableId(realm, `@extension:${extension}`),
			...{ name, numbers: [extension], patterns: [], featurecode: false },
			flow: { module: 'user', data: { id }, children: mailbox ? { _: box } : {} },
		});
	}
}

export function makeAccount(seed: AccountSeed, settings: Settings): Account {
	const { realm, name, login, password } = seed;
	const [id, ownerId] = [stableId(realm, 'account'), stableId(realm, 'owner')];
	const account = new Account(
		{ id, name, realm, login, password, ownerId, ownerRole: 'admin' },
		seed.users.map((user) => makeUser(user, realm)),
		new Map(seed.sounds.map(({ filename, seconds }) => [filename, seconds])),
	);
	for (const { flow: given, numbers, ...callflow } of seed.callflows) {
		const callflowId = stableId(realm, `@callflow:${callflow.name}`);
		const flow = makeFlow(given, (value) => resolve(value, callflowId, realm, settings));
		account.callflows.put({
			id: callflowId,
			fakenumber: false,
			...callflow,
			numbers: numbers.map((number) => storedNumber(number, settings)),
			flow: storedFlow(flow, settings),
		});
	}
	if (settings.profile === 'kazoo') addExtensions(account);
	return account;
}
