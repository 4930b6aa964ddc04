import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../../util/json';
import { byFilter } from '../callflows/byNumber';
import type { Pbx } from '../client';
import type { Scope } from '../documents';
import { documentOf, idOf, readList, scopeOf } from '../documents';
import { PbxError } from '../errors/pbxError';

/** Far more than the steps of an answer and its fallback need. */
const MOST_LOOKUPS = 40;

/** Finds the IDs that Kazoo's modules need, for what the contract names (§2.3). Each question is asked once. */
export interface Directory {
	/** The callflow with a number, flow included; undefined if there is none. */
	callflow(number: string): Promise<IDataObject | undefined>;
	/** The ID of the mailbox with a number, or else of an employee's; undefined if there is none. */
	mailbox(number: string, ownerId: () => Promise<string | undefined>): Promise<string | undefined>;
	/** The ID of a sound file by its name, with or without its ending; undefined if there is none. */
	media(filename: string): Promise<string | undefined>;
}

/** The questions of each execution: an answer and the fallback share them. */
const questions = new WeakMap<Pbx, Map<string, Promise<IDataObject | undefined>>>();

/** Opens the directory of one account. No network access. Its methods throw PbxError. */
export function openDirectory(scope: Scope): Directory {
	const asked = questions.get(scope.pbx) ?? new Map<string, Promise<IDataObject | undefined>>();
	questions.set(scope.pbx, asked);
	const once = async (question: string, ask: () => Promise<IDataObject | undefined>) => {
		const key = `${scope.accountId ?? ''} ${question}`;
		const known = asked.get(key);
		if (known) return await known;
		if (asked.size >= MOST_LOOKUPS)
			throw new PbxError({
				kind: 'refused',
				reason: `answer and fallback name more than ${MOST_LOOKUPS} different numbers and files, too many to look up while a caller waits`,
			});
		const asking = ask();
		asked.set(key, asking);
		return await asking;
	};
	/** A caller waits: no second try. */
	const request = (path: string) => ({ path: [path], isOptional: true, ...scopeOf(scope) });
	const first = async (path: string, query: IDataObject) =>
		await once(
			`${path} ${JSON.stringify(query)}`,
			async () => (await readList(scope.pbx, { ...request(path), query }, 1))[0],
		);
	const idIn = (found: IDataObject | undefined) => found && idOf(found);
	return {
		callflow: async (number) =>
			await once(`callflow ${number}`, async () => {
				const [found] = await byFilter(scope, number, { limit: 1, isOptional: true });
				const id = idIn(found);
				if (id === undefined) return undefined;
				const path = ['callflows', id];
				const whole = { ...request('callflows'), method: 'GET', path } as const;
				return { id, ...documentOf(await scope.pbx.send(whole)) };
			}),
		async mailbox(number, ownerId) {
			const own = idIn(await first('vmboxes', { filter_mailbox: number }));
			if (own !== undefined) return own;
			const owner = await ownerId();
			return owner === undefined
				? undefined
				: idIn(await first('vmboxes', { filter_owner_id: owner }));
		},
		async media(filename) {
			const bare = filename.replace(/\.\w+$/, '');
			for (const name of new Set([filename, bare])) {
				const id = idIn(await first('media', { filter_name: name }));
				if (id !== undefined) return id;
			}
			return undefined;
		},
	};
}

/** Modules that ring someone. */
const RINGING = ['user', 'device'];

/**
 * Finds what a callflow rings before anything else: the first node that rings, along the way that a call takes by
 * default. Undefined if it is something else, such as a group or a menu.
 */
export function rungBy(callflow: IDataObject): { module: string; id: string } | undefined {
	let node: unknown = callflow.flow;
	while (isObject(node)) {
		const { module, data, children } = node;
		const id = isObject(data) ? asText(data.id) : undefined;
		if (typeof module === 'string' && RINGING.includes(module))
			return id === undefined ? undefined : { module, id };
		node = isObject(children) ? children._ : undefined;
	}
	return undefined;
}
