import type { IDataObject } from 'n8n-workflow';

import { PbxError } from '../errors/pbxError';
import { isFlowAnswer, labelOf } from '../pivot/answer';
import type { EncodeAnswer, Requester } from '../types';
import type { Directory } from './kazooDirectory';
import { openDirectory, rungBy } from './kazooDirectory';

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

type Encode = (step: IDataObject, directory: Directory, isLast: boolean) => Promise<IDataObject>;

const ENCODERS: Record<string, Encode> = {
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
