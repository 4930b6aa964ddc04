import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../../util/json';
import { findByNumber } from '../callflows/callflow';
import { documentOf, idIn, readList } from '../documents';
import { PbxError } from '../errors/pbxError';
import type { Requester } from '../types';

/** Far more than the steps of an answer and its fallback need. */
const MAX_LOOKUPS = 40;

/** Finds the IDs that Kazoo's modules need, for what the contract names (§2.3). Each question is asked once. */
export interface Directory {
	/** The callflow with a number, flow included; undefined if there is none. */
	callflow(number: string): Promise<IDataObject | undefined>;
	/** The ID of the mailbox with a number, or else of an employee's; undefined if there is none. */
	mailbox(number: string, ownerId: () => Promise<string | undefined>): Promise<string | undefined>;
	/** The ID of a sound file by its name, with or without its ending; undefined if there is none. */
	media(filename: string): Promise<string | undefined>;
}

/** Opens the directory of one account. No network access. Its methods throw PbxError. */
export function openDirectory(pbx: Requester): Directory {
	const asked = new Map<string, Promise<IDataObject | undefined>>();
	const once = async (question: string, ask: () => Promise<IDataObject | undefined>) => {
		const known = asked.get(question);
		if (known) return await known;
		if (asked.size >= MAX_LOOKUPS)
			throw new PbxError({
				kind: 'unsent',
				reason: `answer and fallback name more than ${MAX_LOOKUPS} different numbers and files, too many to look up while a caller waits`,
			});
		const asking = ask();
		asked.set(question, asking);
		return await asking;
	};
	/** A caller waits: no second try. */
	const request = { isOptional: true } as const;
	const first = async (path: string, query: IDataObject) =>
		await once(`${path} ${JSON.stringify(query)}`, async () => {
			const [found] = await readList(pbx, { ...request, path: [path], query }, { limit: 1 });
			return found;
		});
	return {
		callflow: async (number) =>
			await once(`callflow ${number}`, async () => {
				const [found] = await findByNumber(pbx, number, { limit: 1, ...request });
				const id = idIn(found);
				if (id === undefined) return undefined;
				const path = ['callflows', id];
				return { id, ...documentOf(await pbx.send({ ...request, method: 'GET', path })) };
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
const RINGING = ['user', 'device'] as const;

/**
 * Finds what a callflow rings before anything else: the first node that rings, along the way that a call takes by
 * default. Undefined if it is something else, such as a group or a menu.
 */
export function rungBy(
	callflow: IDataObject,
): { module: (typeof RINGING)[number]; id: string } | undefined {
	let node: unknown = callflow.flow;
	while (isObject(node)) {
		const { module, data, children } = node;
		const id = isObject(data) ? asText(data.id) : undefined;
		const ringing = RINGING.find((one) => one === module);
		if (ringing) return id === undefined ? undefined : { module: ringing, id };
		node = isObject(children) ? children._ : undefined;
	}
	return undefined;
}
