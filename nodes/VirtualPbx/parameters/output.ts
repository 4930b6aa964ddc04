import type { IDataObject, IExecuteFunctions, IBinaryData } from 'n8n-workflow';

import type { CallOutput } from '../calls/call';
import type { Pbx } from '../pbx/client';
import type { OpenFile, TakeFile } from '../pbx/download';
import { soundTypeOf } from '../pbx/download';
import { compareTexts, isObject, percentDecoded } from '../util/json';
import { formatNumbers } from '../util/phone';
import { countVoicemail, includeDetails, optionsIn, whenSimple } from './options';
import type { ItemScope, ParameterGroup } from './parameter';
import {
	defineBoolean,
	defineMultiOptions,
	defineNumber,
	defineOptions,
	Parameter,
	parameterError,
} from './parameter';

export type Shape<T> = (object: T) => IDataObject;

export interface Shapes<T> {
	toSimple: (object: T, output: CallOutput) => IDataObject;
	toRaw: Shape<T>;
}

/** Simplify, for triggers and for operations used by people. */
export const simplify = defineBoolean({
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

const output = defineOptions({
	displayName: 'Output',
	name: 'output',
	type: 'options',
	default: 'simplified',
	description: 'Which data to return to the agent',
	options: [
		{ name: 'Raw', value: 'raw', description: 'All data, as the PBX returns it' },
		{
			name: 'Selected Fields',
			value: 'selectedFields',
			description: 'Only the fields that you choose',
		},
		{
			name: 'Simplified',
			value: 'simplified',
			description: 'The most important fields, in a stable form',
		},
	],
	displayOptions: { show: { '@tool': [true] } },
});

const selectedFields = defineMultiOptions({
	displayName: 'Fields',
	name: 'selectedFields',
	type: 'multiOptions',
	default: [],
	description:
		'Fields to return in addition to callId. For other fields, use an expression. Use dot notation for nested fields.',
	options: [],
	displayOptions: { show: { '@tool': [true], output: ['selectedFields'] } },
	isOpen: true,
});

/**
 * Defines Simplify for people, and Output for AI agents: Simplified, Raw, or Selected Fields. For operations whose
 * results have more than ten fields: an agent can select each field of the example, of its `details`, and of `raw`.
 */
export function defineOutput(
	example: IDataObject,
	raw: readonly string[] = [],
): readonly Parameter[] {
	const { details, ...top } = example;
	const known = [...Object.keys(top), ...Object.keys(isObject(details) ? details : {}), ...raw];
	const options = known.sort(compareTexts).map((name) => ({ name, value: name }));
	return [
		simplify.with({ displayOptions: { hide: { '@tool': [true] } } }),
		output,
		selectedFields.with({ options }),
	];
}

/** Reads {@link defineOutput} as the shape to apply to each object. With a country, numbers are in E.164. */
export function readShape<T>(
	at: ItemScope,
	{ toSimple, toRaw }: Shapes<T>,
	country: string | undefined,
): Shape<T> {
	const options = optionsIn(at);
	const given = {
		countVoicemail: countVoicemail.read(options),
		includeDetails: includeDetails.read(options),
	};
	const simple: Shape<T> = (object) => formatNumbers(toSimple(object, given), country);
	if (!isTool(at.context)) return simplify.read(at) ? simple : toRaw;
	const kind = output.read(at);
	if (kind === 'raw') return toRaw;
	if (kind !== 'selectedFields') return simple;
	const names = selectedFields.read(at);
	if (names.length === 0) return simple;
	const whole: Shape<T> = (object) =>
		formatNumbers(toSimple(object, { ...given, includeDetails: true }), country);
	return (object) => select(toRaw(object), whole(object), ['callId', ...names]);
}

export interface Presentation {
	/** The country whose format numbers are shown in; undefined to leave them unchanged. */
	country?: string | undefined;
	includeDetails: boolean;
}

/** Returns a simplified item as the node shows it: numbers in a country's format, and `details` if requested. */
export function present(item: IDataObject, shown: Presentation): IDataObject {
	if (shown.includeDetails) return formatNumbers(item, shown.country);
	const top = { ...item };
	delete top.details;
	return formatNumbers(top, shown.country);
}

/** n8n gives a node that serves as an AI agent's tool its own type name. */
function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

function select(raw: IDataObject, simple: IDataObject, names: string[]): IDataObject {
	const details = isObject(simple.details) ? simple.details : {};
	const find = (name: string) =>
		valueAt(simple, name) ?? valueAt(details, name) ?? valueAt(raw, name);
	const found = names.map((name) => [name, find(name)] as const);
	return Object.fromEntries(found.filter(([, value]) => value !== undefined)) as IDataObject;
}

function valueAt(object: IDataObject, name: string): unknown {
	if (Object.hasOwn(object, name)) return object[name];
	return name
		.split('.')
		.reduce<unknown>(
			(place, key) => (isObject(place) && Object.hasOwn(place, key) ? place[key] : undefined),
			object,
		);
}

const returnAll = defineBoolean({
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
});

const most = defineNumber({
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
	isWhole: true,
	remedy: "Correct 'Limit', or turn on 'Return All'.",
});

/** Return All and Limit of list operations, read as undefined for all. */
export const limit: ParameterGroup<number | undefined> = {
	parameters: [returnAll, most],
	read: (at) => (returnAll.read(at) ? undefined : most.read(at)),
};

export const fileField = new Parameter(
	{
		displayName: 'Put Output File in Field',
		name: 'binaryPropertyName',
		type: 'string',
		required: true,
		default: 'data',
		hint: 'The name of the output binary field to put the file in',
	},
	(value, place) => {
		const name = String(value ?? '').trim();
		if (name !== '') return name;
		const hint = 'Enter the name of the binary field, for example data.';
		throw parameterError(place, "'Put Output File in Field' is empty", hint);
	},
);

export const lookUpEmployees = defineBoolean({
	displayName: 'Look Up Employees',
	name: 'lookUpEmployees',
	type: 'boolean',
	default: false,
	displayOptions: whenSimple,
	description:
		"Whether to add employeeEmail to details, and employeeName if a call doesn't have it, from the PBX's list of employees. If the PBX doesn't list any, both stay empty. Needs 'Include Details'.",
});

/** Fills in who an item's employee is, in the item itself. */
export type FillEmployee = (item: IDataObject) => IDataObject;

/**
 * Returns a function that fills in the name and email of a call's employee, by extension or SIP user. `onNone` is called
 * once per client if the PBX doesn't list any. Throws PbxError.
 */
export async function employeeFiller({ employees }: Pbx, onNone = () => {}): Promise<FillEmployee> {
	const find = await employees.directory(onNone);
	return (item) => {
		const place = isObject(item.details) ? item.details : item;
		if (place.employeeName === undefined) return item;
		const { name, email } = find(String(item.employee)) ?? {};
		place.employeeName ??= name ?? null;
		place.employeeEmail = email ?? null;
		return item;
	};
}

/** Streams a downloaded file into n8n's binary store, with its name and type. `file` is REC_FILE, or empty. */
export function storeFile(
	context: { helpers: Pick<IExecuteFunctions['helpers'], 'prepareBinaryData'> },
	file: string,
): TakeFile<IBinaryData> {
	return async (open) => {
		const { fileName, mimeType } = labelFile(open, file);
		const { prepareBinaryData } = context.helpers;
		const readable = open.stream as Exclude<Parameters<typeof prepareBinaryData>[0], Uint8Array>;
		return await prepareBinaryData(readable, fileName, mimeType);
	};
}

/** Extensions of sound files for which n8n knows the type. */
const SOUND_NAME = /\.(?:aac|aiff?|amr|au|flac|m4a|mp[34]|og[ag]|opus|wav|webm|wma)$/i;

/**
 * Names a downloaded recording by REC_FILE, or else by its address, or by what the PBX calls it: a Kazoo's ID has no
 * extension, by which services that transcribe go. Its type is what the PBX states if that is sound or
 * video, or else what its first bytes show. Undefined leaves it to n8n, which goes by the name but takes a file with an
 * unknown extension for text.
 */
export function labelFile(
	{ headers, address, start }: Omit<OpenFile, 'stream'>,
	file: string,
): { fileName: string; mimeType: string | undefined } {
	const stated = /filename="?([^";]+)/i.exec(String(headers['content-disposition'] ?? ''))?.[1];
	const names = [lastSegment(file) || nameIn(address), lastSegment(stated ?? ''), 'recording'];
	const fileName = names.find((name) => SOUND_NAME.test(name)) ?? names.find(Boolean) ?? '';
	const contentType = String(headers['content-type'] ?? '').toLowerCase();
	const [sound] = /^(?:audio|video)\/[\w.-]+/.exec(contentType) ?? [];
	const unknown = SOUND_NAME.test(fileName) ? undefined : 'application/octet-stream';
	return { fileName, mimeType: sound ?? soundTypeOf(start) ?? unknown };
}

function nameIn(address: string): string {
	const { pathname } = URL.canParse(address) ? new URL(address) : { pathname: address };
	return lastSegment(percentDecoded(pathname));
}

/** The longest name that file systems take, in bytes. */
const MAX_NAME_BYTES = 255;
/** Names that Windows takes for devices. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** Returns a path's last part as a file name that any system takes, and that looks like what it is; empty for none. */
function lastSegment(path: string): string {
	const end = path.split(/[/\\]/).pop() ?? '';
	const name = end
		// Control and bidirectional characters, which hide what follows them, and half characters.
		.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
		.replace(/^[.\s]+|[.\s]+$/g, '')
		.replace(DEVICE, '$&_');
	const [extension = ''] = /\.\w{1,8}$/.exec(name) ?? [];
	const stem = name.slice(0, name.length - extension.length);
	return cutToBytes(stem, MAX_NAME_BYTES - extension.length) + extension;
}

/** Cuts a text to a number of bytes, between characters. */
function cutToBytes(text: string, bytes: number): string {
	const characters = [...text].slice(0, bytes);
	while (Buffer.byteLength(characters.join('')) > bytes) characters.pop();
	return characters.join('');
}
