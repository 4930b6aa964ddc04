import type { IDataObject } from 'n8n-workflow';

import { simplifyCdr } from '../../calls/record';
import { defineOptionsCollection } from '../../parameters/options';
import { fileField, storeFile } from '../../parameters/output';
import type { Parameter, ParameterGroup, Place } from '../../parameters/parameter';
import {
	defineBoolean,
	defineNumber,
	defineOptions,
	defineRaw,
	defineText,
	parameterError,
} from '../../parameters/parameter';
import type { Cdr, CdrRecording } from '../../pbx/cdrs/cdr';
import { asText, isObject } from '../../util/json';
import { callSearch, noSuchCall } from '../call/calls';
import type { Operation, OperationCall, OperationItem } from '../operation';

interface Wanted extends CdrRecording {
	json: IDataObject;
}

const source = defineOptions({
	displayName: 'Recording Source',
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
			name: 'Recording ID',
			value: 'id',
			description: 'An ID in media_recordings of a call record. Only on Kazoo.',
		},
		{
			name: 'Recording URL',
			value: 'url',
			description: 'The recordingUrl of a call or call record',
		},
	],
});

const recordingUrl = defineRaw({
	displayName: 'Recording URL',
	name: 'recordingUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://records.example.com/2026/8a3f1c2e.mp3',
	description:
		"The recordingUrl of a call or call record from this package. The URL requires a login: this node sends the credential's token, but a browser or CRM can't open it.",
}).map(readUrl);

const recordingId = defineText({
	displayName: 'Recording ID',
	name: 'recordingId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 202611-71d3ef52c371b18058883b10bbdf69de',
	description: 'An ID in media_recordings of a call record',
	remedy: 'This call has no recording, or the expression points to another field.',
});

/** Not required: if the source is an expression, n8n would ask for the parameters of every source. */
const showFor = (value: string, parameters: readonly Parameter[]): Parameter[] =>
	parameters.map((parameter) =>
		parameter.with({ required: false, displayOptions: { show: { source: [value] } } }),
	);

const waits = defineBoolean({
	displayName: 'Wait Until Available',
	name: 'waitUntilAvailable',
	type: 'boolean',
	default: false,
	description: "Whether to wait for a recording that the PBX hasn't written yet",
});

const longestWait = defineNumber({
	displayName: 'Max Wait (Seconds)',
	name: 'maxWaitSeconds',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 60,
	description: 'How long to wait before the item fails',
	displayOptions: { show: { waitUntilAvailable: [true] } },
	remedy: "Correct it, or turn off 'Wait Until Available'.",
});

/** How long to wait, in milliseconds; 0 for not at all. */
const waitMs: ParameterGroup<number> = {
	parameters: [waits, longestWait],
	read: (at) => (waits.read(at) ? longestWait.read(at) * 1000 : 0),
};

/** GET REC_LINK + REC_FILE with the token (§2.4, §5.4), streamed into n8n's binary store. */
export const download: Operation = {
	value: 'download',
	name: 'Download',
	action: 'Download recording',
	description: 'Download the recording of a call to a binary field (not for AI agents)',
	hint: "Returns a file, which an agent's tool can't pass on: use it in a workflow, before a node that transcribes or stores it, and don't give it to an agent.",
	kind: 'read',
	parameters: [
		source,
		...showFor('id', [recordingId]),
		...showFor('url', [recordingUrl]),
		...showFor('call', callSearch.parameters),
		fileField,
		...waitMs.parameters,
		defineOptionsCollection(),
	],
	output: 'One item per recording, with the file in a binary field',
	async execute(call) {
		const { context, itemIndex, pbx } = call;
		const field = fileField.read(call);
		const wait = waitMs.read(call);
		const kept = context.getInputData()[itemIndex]?.binary;
		const items: OperationItem[] = [];
		for (const { address, file, json } of await findWanted(call)) {
			const take = storeFile(context, file);
			const stored = await (await pbx()).recordings.download({ address, waitMs: wait }, take);
			items.push({ json, binary: { ...kept, [field]: stored } });
		}
		return items;
	},
};

/** Finds the recordings to download for one item, without duplicates. Throws NodeOperationError if there are none. */
async function findWanted(call: OperationCall): Promise<Wanted[]> {
	const kind = source.read(call);
	if (kind === 'call') return await ofCall(call);
	const json = call.context.getInputData()[call.itemIndex]?.json ?? {};
	if (kind === 'url') return [{ json, file: '', address: recordingUrl.read(call) }];
	return kind === 'id' ? await ofId(call, json) : await ofItem(call, json);
}

async function ofId(call: OperationCall, json: IDataObject): Promise<Wanted[]> {
	const id = recordingId.read(call);
	const address = (await call.pbx()).recordingAddress(id);
	if (address !== undefined) return [{ json, file: id, address }];
	throw parameterError(
		call,
		"Your PBX has no recordings by ID, so 'Recording ID' can't be used",
		"Set 'Recording Source' to 'Recording URL' or 'Input Item'. If it's a Kazoo, set 'API' to 'Kazoo (/v2)' in the credential.",
	);
}

async function ofItem(call: OperationCall, json: IDataObject): Promise<Wanted[]> {
	const { recordings } = itemDetails(json);
	const parts = [json.legs, recordings].flat().filter(isObject);
	const { cdrs } = await call.pbx();
	const found = distinct([json, ...parts].map((named) => ({ json, named: cdrs.read(named) })));
	if (found.length > 0) return found;
	throw parameterError(
		call,
		'This item has no recording',
		"A call or call record names one in recordingUrl (in raw data: REC_LINK and REC_FILE, or recording_url and media_recordings). Calls with no talk time aren't recorded: filter them out before this node.",
	);
}

function readUrl(value: unknown, place: Place): string {
	const url = asText(value)?.trim() ?? '';
	if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
	if (url === '') {
		throw parameterError(
			place,
			"'Recording URL' is empty",
			"This call has no recording, or the expression points to another field. Calls with no talk time aren't recorded.",
		);
	}
	throw parameterError(
		place,
		`'Recording URL' isn't a web address: ${url}`,
		"Use the recordingUrl of a call or call record. For a raw call record, set 'Recording Source' to 'Input Item'.",
	);
}

async function ofCall(call: OperationCall): Promise<Wanted[]> {
	const search = callSearch.read(call);
	const legs = await (await call.pbx()).cdrs.ofCall(search.callId, search.range);
	if (legs.length === 0) throw noSuchCall(call, search);
	const found = distinct(legs.map((named) => ({ named, json: simplifyCdr(named) })));
	if (found.length > 0) return found;
	throw parameterError(
		call,
		`The call ${search.callId} has no recording`,
		'Calls with no talk time, and accounts without call recording, have none.',
	);
}

function distinct(candidates: Array<{ named: Cdr; json: IDataObject }>): Wanted[] {
	const byAddress = new Map<string, Wanted>();
	for (const { named, json } of candidates) {
		const { recordings, original } = named;
		for (const recording of recordings.length > 0 ? recordings : simplified(original))
			if (!byAddress.has(recording.address))
				byAddress.set(recording.address, { ...recording, json: withOwnUrl(json, recording) });
	}
	return [...byAddress.values()];
}

/** A call shows the first of its recordings. */
function withOwnUrl(json: IDataObject, { address }: CdrRecording): IDataObject {
	return 'recordingUrl' in json ? { ...json, recordingUrl: address } : json;
}

function simplified(named: IDataObject): CdrRecording[] {
	const address = asText(named.recordingUrl)?.trim();
	const file = asText(itemDetails(named).recordingFile) ?? asText(named.recordingFile) ?? '';
	return address ? [{ file, address }] : [];
}

function itemDetails({ details }: IDataObject): IDataObject {
	return isObject(details) ? details : {};
}
