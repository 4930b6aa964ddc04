import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { ItemContext } from '../../fields/inputs';
import { readParameter, refusal } from '../../fields/inputs';
import type { Pbx } from '../../transport/pbx';
import type { CdrRecording } from '../../records/cdr';
import { cdrRecording } from '../../records/cdr';
import { simplifyCdr } from '../../records/output';
import { asText, isObject } from '../../values/json';
import { callSearchFields, noSuchCall, readCallSearch, readLegs } from '../call/calls';

/** A recording to download, and the JSON of the item that it becomes. */
export interface Wanted extends CdrRecording {
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
export const sourceFields: INodeProperties[] = [
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

/** Finds the recordings to download for one item, each once; throws NodeOperationError where there is none. */
export async function findWanted(at: ItemContext, pbx: () => Promise<Pbx>): Promise<Wanted[]> {
	const source = readParameter(at, 'source', 'item');
	if (source === 'call') return await ofCall(at, pbx);
	const json = at.context.getInputData()[at.itemIndex]?.json ?? {};
	return source === 'url' ? ofUrl(at, json) : ofItem(at, json);
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

async function ofCall(at: ItemContext, pbx: () => Promise<Pbx>): Promise<Wanted[]> {
	const search = readCallSearch(at);
	const legs = await readLegs(await pbx(), search);
	if (legs.length === 0) throw noSuchCall(at, search);
	const found = distinct(legs.map((named) => ({ named, json: simplifyCdr(named) })));
	if (found.length > 0) return found;
	throw refusal(
		at,
		`The call ${search.callId} has no recording`,
		'Calls with no talk time, and accounts without call recording, have none.',
	);
}

function distinct(candidates: Array<{ named: IDataObject; json: IDataObject }>): Wanted[] {
	const byAddress = new Map<string, Wanted>();
	for (const { named, json } of candidates) {
		const recording = cdrRecording(named) ?? simplified(named);
		if (!recording || byAddress.has(recording.address)) continue;
		byAddress.set(recording.address, { ...recording, json });
	}
	return [...byAddress.values()];
}

function simplified(named: IDataObject): CdrRecording | undefined {
	const address = asText(named.recordingUrl)?.trim();
	const file = asText(detailsOf(named).recordingFile) ?? asText(named.recordingFile) ?? '';
	return address ? { file, address } : undefined;
}

function detailsOf({ details }: IDataObject): IDataObject {
	return isObject(details) ? details : {};
}
