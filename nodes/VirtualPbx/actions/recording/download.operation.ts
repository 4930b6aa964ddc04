import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { simplifyCdr } from '../../calls/recordItem';
import type { ItemContext } from '../../parameters/inputs';
import { readNumber, readParameter, refusal } from '../../parameters/inputs';
import { optionsField } from '../../parameters/options';
import { fileField, readFileField } from '../../parameters/output';
import type { CdrRecording } from '../../pbx/cdrs/cdr';
import { cdrRecordings } from '../../pbx/cdrs/cdr';
import { storeFile } from '../../parameters/storeFile';
import { asText, isObject, isOn } from '../../util/json';
import { callSearchFields, noSuchCall, readCallSearch, readLegs } from '../call/calls';
import type { Operation, OperationCall, OperationItem } from '../contract';

/** A recording to download, and the JSON of the item that it becomes. */
interface Wanted extends CdrRecording {
	json: IDataObject;
}

/** None is required: where the source comes from an expression, n8n would ask for those of all sources. */
const showFor = (source: string, fields: INodeProperties[]): INodeProperties[] =>
	fields.map((field) => ({
		...field,
		required: false,
		displayOptions: { show: { source: [source] } },
	}));

/** Where to find the recording: in the input item, at a URL, or in the records of a call. */
const sourceFields: INodeProperties[] = [
	{
		displayName: 'Recording Of',
		name: 'source',
		type: 'options',
		default: 'item',
		description: 'Where to find the recording',
		options: [
			{
				name: 'Call by ID',
				value: 'call',
				description: 'Look up the call in the call records',
			},
			{
				name: 'Input Item',
				value: 'item',
				description: 'A call record or call from this package, simplified or raw',
			},
			{
				name: 'Recording URL',
				value: 'url',
				description: 'The recordingUrl of a call or call record',
			},
		],
	},
	...showFor('url', [
		{
			displayName: 'Recording URL',
			name: 'recordingUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://records.example.com/2026/8a3f1c2e.mp3',
			description:
				'The recordingUrl of a call or call record from this package. The link works only with a login: this node sends the token of the credential, but a browser or a CRM cannot open it.',
		},
	]),
	...showFor('call', callSearchFields),
];

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
		for (const { address, file, json } of await findWanted(call)) {
			const take = storeFile(context, file);
			const stored = await (await pbx()).fetchFile({ address, waitMs }, take);
			items.push({ json, binary: { ...kept, [field]: stored } });
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

/** Finds the recordings to download for one item, each once; throws NodeOperationError where there is none. */
async function findWanted(call: OperationCall): Promise<Wanted[]> {
	const source = readParameter(call, 'source', 'item');
	if (source === 'call') return await ofCall(call);
	const json = call.context.getInputData()[call.itemIndex]?.json ?? {};
	return source === 'url' ? ofUrl(call, json) : ofItem(call, json);
}

function ofItem(at: ItemContext, json: IDataObject): Wanted[] {
	const { recordings } = detailsOf(json);
	const parts = [json.legs, recordings].flat().filter(isObject);
	const found = distinct([json, ...parts].map((named) => ({ json, named })));
	if (found.length > 0) return found;
	throw refusal(
		at,
		'This item has no recording',
		'A call record names one in REC_LINK and REC_FILE (simplified: recordingUrl). Calls with no talk time are not recorded: filter them out before this node.',
	);
}

function ofUrl(at: ItemContext, json: IDataObject): Wanted[] {
	const value = readParameter(at, 'recordingUrl', '');
	const url = asText(value)?.trim() ?? '';
	if (/^https?:\/\//i.test(url) && URL.canParse(url)) return [{ json, file: '', address: url }];
	if (url === '') {
		throw refusal(
			at,
			'Recording URL is empty',
			'This call has no recording, or the expression points to another field. Calls with no talk time are not recorded.',
		);
	}
	throw refusal(
		at,
		`Recording URL is not a web address: ${url}`,
		'Use recordingUrl of a call or call record. For a record with REC_LINK and REC_FILE, set Recording Of to Input Item.',
	);
}

async function ofCall(call: OperationCall): Promise<Wanted[]> {
	const search = readCallSearch(call);
	const legs = await readLegs(await call.pbx(), search);
	if (legs.length === 0) throw noSuchCall(call, search);
	const found = distinct(legs.map((named) => ({ named, json: simplifyCdr(named) })));
	if (found.length > 0) return found;
	throw refusal(
		call,
		`The call ${search.callId} has no recording`,
		'Calls with no talk time, and accounts without call recording, have none.',
	);
}

function distinct(candidates: Array<{ named: IDataObject; json: IDataObject }>): Wanted[] {
	const byAddress = new Map<string, Wanted>();
	for (const { named, json } of candidates) {
		const recordings = cdrRecordings(named);
		for (const recording of recordings.length > 0 ? recordings : simplified(named))
			if (!byAddress.has(recording.address))
				byAddress.set(recording.address, { ...recording, json });
	}
	return [...byAddress.values()];
}

function simplified(named: IDataObject): CdrRecording[] {
	const address = asText(named.recordingUrl)?.trim();
	const file = asText(detailsOf(named).recordingFile) ?? asText(named.recordingFile) ?? '';
	return address ? [{ file, address }] : [];
}

function detailsOf({ details }: IDataObject): IDataObject {
	return isObject(details) ? details : {};
}
