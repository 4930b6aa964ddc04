import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../../util/json';
import { findByNumber } from '../callflows/callflows';
import { documentOf, idIn, readList } from '../documents';
import { PbxError } from '../errors/pbxError';
import type { Requester } from '../types';
import { isFlowAnswer, labelOf } from './answer';

/** Throws PbxError that names the step, and for what takes longer than the client may. */
export type EncodeAnswer = (answer: IDataObject) => Promise<IDataObject>;

/**
 * Creates a function that rewrites answers of §2.3 as flows of Kazoo: one node per step, each the child of the one
 * before. Looks up the IDs that Kazoo's modules need. A flow, or an answer without steps, stays as it is.
 */
export function answerEncoder(pbx: Requester): EncodeAnswer {
	const directory = openDirectory(pbx);
	return async (answer) => {
		const steps = (answer.operations ?? [answer]) as IDataObject[];
		if (isFlowAnswer(answer) || steps.length === 0) return answer;
		const encoding = steps.map(async (step, index) => {
			try {
				return await nodeOf(step, directory, index === steps.length - 1);
			} catch (error) {
				throw inStep(error, `Step ${index + 1} (${labelOf(step)})`);
			}
		});
		const nodes = await Promise.all(encoding);
		return nodes.reduceRight((rest, node) => ({ ...node, children: { _: rest } }));
	};
}

/** A node without children. Undefined values are left out of its JSON. */
const leaf = (module: string, data: IDataObject): IDataObject => ({ module, data, children: {} });

type EncodeStep = (
	step: IDataObject,
	directory: Directory,
	isLast: boolean,
) => Promise<IDataObject>;

const ENCODERS: Record<string, EncodeStep> = {
	extension: encodeExtension,
	id: async (step) => leaf('user', { id: step.id, ...ringing('user', step) }),
	device: async (step) => leaf('device', { id: step.id, ...ringing('device', step) }),
	callflow: async ({ extension }, directory, isLast) => {
		if (!isLast)
			throw stepError("it must be the last step, since Kazoo doesn't return from another callflow");
		return leaf('callflow', { id: (await callflowOf(String(extension), directory)).id });
	},
	hangup: async () => leaf('hangup', {}),
	play: async ({ filename }, directory) => {
		const name = String(filename);
		// Kazoo takes the ID of a sound file, or its address.
		const isReady = /^(?:[\da-f]{32}|https?:\/\/.*)$/i.test(name);
		const id = isReady ? name : await directory.media(name);
		if (id === undefined) throw stepError(`the account has no sound file named "${name}"`);
		return leaf('play', { id });
	},
	voicemail: async ({ extension }, directory) => {
		const number = String(extension);
		const id = await directory.mailbox(number, async () => {
			const callflow = await directory.callflow(number);
			const rung = callflow && rungBy(callflow);
			return rung?.module === 'user' ? rung.id : undefined;
		});
		if (id === undefined) throw stepError(`the account has no mailbox ${number}`);
		return leaf('voicemail', { id, action: 'compose' });
	},
};

async function nodeOf(step: IDataObject, directory: Directory, isLast: boolean) {
	const encode = ENCODERS[String(step.type)];
	if (!encode) throw stepError('Kazoo has no module for it');
	return await encode(step, directory, isLast);
}

/** A device of Kazoo rings alone, so it has no strategy. */
function ringing(module: string, { timeout, delay, strategy }: IDataObject): IDataObject {
	return {
		...(timeout === undefined ? {} : { timeout }),
		...(delay === undefined ? {} : { delay }),
		...(module === 'device' || strategy === undefined ? {} : { strategy }),
	};
}

/**
 * Rings whom the extension's callflow rings first, since a step must not continue with the rest of that callflow. As
 * the last step, an extension of something else, such as a group, continues there.
 */
async function encodeExtension(
	step: IDataObject,
	directory: Directory,
	isLast: boolean,
): Promise<IDataObject> {
	const number = String(step.extension);
	const callflow = await callflowOf(number, directory);
	const rung = rungBy(callflow);
	if (rung) return leaf(rung.module, { id: rung.id, ...ringing(rung.module, step) });
	const isPlain = Object.keys(ringing('user', step)).length === 0;
	if (isLast && isPlain) return leaf('callflow', { id: callflow.id });
	throw stepError(
		`extension ${number} leads to no user or device, so it can only be the last step, without ringing settings`,
	);
}

async function callflowOf(number: string, directory: Directory): Promise<IDataObject> {
	const found = await directory.callflow(number);
	if (found) return found;
	throw stepError(`no callflow of the account has the number ${number}`);
}

const stepError = (reason: string) => new PbxError({ kind: 'unsent', reason });

function inStep(error: unknown, step: string): unknown {
	if (!(error instanceof PbxError)) return error;
	return new PbxError({ ...error.details, reason: `${step}: ${error.message}` });
}

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
				const id = found?.id;
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
