import type { Account } from '../model/account';
import type { FlowNode } from '../model/types';

type Fields = Record<string, unknown>;

const node = (module: string, data: Fields): FlowNode => ({ module, data, children: {} });

/** Keeps the given ring fields. The others come from the employee's settings (§2.3 rule 2). */
const ringFields = ({ timeout, delay, strategy }: Fields): Fields => ({ timeout, delay, strategy });

type Translate = (operation: Fields, account: Account) => FlowNode | undefined;

const userNode: Translate = (operation, account) => {
	const found = account.user({ extension: String(operation.extension) });
	return found && node('user', { id: found.id, ...ringFields(operation) });
};

const NODES: Record<string, Translate> = {
	extension: userNode,
	id: (operation, account) => {
		const found = account.user({ id: String(operation.id) });
		return found && node('user', { id: found.id, ...ringFields(operation) });
	},
	device: (operation, account) => {
		const found = account.device(String(operation.id));
		return found && node('device', { id: found.id, ...ringFields(operation) });
	},
	voicemail: (operation, account) => {
		const owner = account.user({ extension: String(operation.extension) });
		return owner && node('voicemail', { id: owner.id });
	},
	callflow: (operation, account) => {
		const target = account.callflows.match(String(operation.extension));
		return target && node('callflow', { id: target.id });
	},
	play: (operation, account) => {
		const filename = String(operation.filename);
		return account.sounds.has(filename) ? node('play', { filename }) : undefined;
	},
};

/** Returns the callflow node that runs an operation, or undefined if its target doesn't exist. */
export const nodeFor = (operation: Fields, account: Account): FlowNode | undefined =>
	NODES[String(operation.type)]?.(operation, account);
