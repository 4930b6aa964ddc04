import type { INodeProperties } from 'n8n-workflow';

import { isOn } from '../../values/json';
import { optionsField } from '../../fields/options';
import type { ItemContext } from '../../fields/inputs';
import { readNumber, readParameter } from '../../fields/inputs';
import { fileField, readFileField } from '../../fields/output';
import { storeFile } from '../../transport/download';
import type { Operation, OperationItem } from '../contract';
import { findWanted, sourceFields } from './source';

const DEFAULT_SECONDS = 60;

const waitFields: INodeProperties[] = [
	{
		displayName: 'Wait Until Available',
		name: 'waitUntilAvailable',
		type: 'boolean',
		default: false,
		description: 'Whether to wait for a recording that the PBX has not written yet',
	},
	{
		displayName: 'Wait at Most (Seconds)',
		name: 'maxWaitSeconds',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_SECONDS,
		description: 'How long to wait before the item fails',
		displayOptions: { show: { waitUntilAvailable: [true] } },
	},
];

/** GET REC_LINK + REC_FILE with the token (§2.4, §5.4), streamed into n8n's binary store. */
export const download: Operation = {
	value: 'download',
	name: 'Download',
	action: 'Download recording',
	description: 'Download the recording of a call to a binary field (not for AI agents)',
	hint: "Returns a file, which an agent's tool can't pass on: use it in a workflow, before a node that transcribes or stores it, and don't give it to an agent.",
	kind: 'read',
	fields: [...sourceFields, fileField, ...waitFields, optionsField()],
	output: 'One item per recording, with the file in a binary field',
	async execute(call) {
		const { context, itemIndex, pbx } = call;
		const field = readFileField(call, readParameter(call, 'binaryPropertyName', 'data'));
		const waitMs = readWait(call);
		const kept = context.getInputData()[itemIndex]?.binary;
		const items: OperationItem[] = [];
		for (const { address, file, json } of await findWanted(call, pbx)) {
			const request = { address, waitMs, itemIndex };
			const outcome = await (await pbx()).fetchFile(request, storeFile(context, file));
			if (!outcome.ok) throw outcome.error;
			items.push({ json, binary: { ...kept, [field]: outcome.value } });
		}
		return items;
	},
};

/** @returns milliseconds; 0 not to wait */
function readWait(at: ItemContext): number {
	if (!isOn(readParameter(at, 'waitUntilAvailable', false))) return 0;
	const seconds = readParameter(at, 'maxWaitSeconds', DEFAULT_SECONDS);
	const remedy = 'Correct it, or turn off Wait Until Available.';
	return readNumber(at, seconds, 'Wait at Most', { least: 1, remedy }) * 1000;
}
