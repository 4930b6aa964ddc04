import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../util/json';
import { numberOf, visibleName } from '../util/party';
import type { ListOptions } from './documents';
import { documentOf, idIn, readList } from './documents';
import type { ErrorDetails } from './errors/pbxError';
import { PbxError } from './errors/pbxError';
import { openDirectory, rungBy } from './pivot/kazooAnswer';
import type { Device, Employee, Requester } from './types';

/** Finds the employee with an extension or SIP user; undefined if there are none or several. */
export type FindEmployee = (user: string) => Employee | undefined;

export type PhoneChoice = { extension: string } | { userId: string } | { deviceId: string };

/**
 * The users and devices of an account. The contract has neither; live services and Kazoo do (docs/internals/interface.md,
 * §10). All methods throw PbxError.
 */
export interface Employees {
	/** Lists employees. `keep` sees no devices. */
	list(options?: ListOptions<Employee>): Promise<Employee[]>;
	/** Lists all employees, only once, to find them. `onNone` is called then if the PBX doesn't list any. */
	directory(onNone: () => void): Promise<FindEmployee>;
	devices(): Promise<Device[]>;
	/** Finds whose phones to ring. Throws if there is none that can ring. */
	phones(choice: PhoneChoice): Promise<Phones>;
	/** Rings phones, and then calls a number. Never repeated. */
	call(order: CallOrder): Promise<StartedCall>;
}

/** Returns the employees of an account. No network access. */
export function employeesOf(pbx: Requester): Employees {
	const devices = async (query?: IDataObject) => {
		const keep = ({ owner_id: owner }: IDataObject) =>
			query === undefined || owner === query.filter_owner_id;
		const request = { path: ['devices'], query: query ?? pbx.dialect.longList };
		return (await readList(pbx, request, { keep })).flatMap(readDevice);
	};
	const users = async (options?: ListOptions<Employee>, query?: IDataObject) => {
		const { limit, keep = () => true } = options ?? {};
		const passes = (entry: IDataObject) => readUser(entry).some(keep);
		const request = { path: ['users'], query: query ?? pbx.dialect.longList };
		return (await readList(pbx, request, { limit, keep: passes })).flatMap(readUser);
	};
	const list = async (options?: ListOptions<Employee>) =>
		withDevices(...(await Promise.all([users(options), devices()]).catch(unlistable)));
	let directory: Promise<FindEmployee> | undefined;
	const own = async (employee: Employee) => ({
		...employee,
		devices: await devices({ filter_owner_id: employee.id }).catch(unlisted(pbx)),
	});
	const withExtension = async (extension: string) => {
		const isOwn = (one: Employee) => one.extension === extension;
		const query = { filter_presence_id: extension };
		const [found, ...others] = await users({ keep: isOwn }, query).catch(unlisted(pbx));
		if (!found) throw unknownExtension(extension);
		if (others.length === 0) return found;
		const names = [found, ...others].map(({ id, name }) => name ?? id).join(', ');
		throw choiceError(`Extension ${extension} belongs to several employees: ${names}`);
	};
	return {
		devices,
		call: async (order) => await startCall(pbx, order),
		list,
		directory: async (onNone) => await (directory ??= directoryOf(list(), onNone)),
		async phones(choice) {
			if ('deviceId' in choice) return await oneDevice(pbx, choice.deviceId);
			if ('userId' in choice) return phonesOf(await own(nobody(choice.userId)));
			const { extension } = choice;
			if (!pbx.dialect.extensionsAreCallflows)
				return phonesOf(await own(await withExtension(extension)));
			const callflow = await openDirectory(pbx).callflow(extension);
			if (!callflow) throw unknownExtension(extension);
			const rung = rungBy(callflow);
			if (!rung) throw choiceError(`Extension ${extension} rings neither an employee nor a device`);
			if (rung.module === 'device') return { ...(await oneDevice(pbx, rung.id)), extension };
			return phonesOf(await own({ ...nobody(rung.id), extension }));
		},
	};
}

function readUser(entry: IDataObject): Employee[] {
	const id = idIn(entry);
	if (id === undefined) return [];
	const { first_name: first, last_name: last, username, email } = entry;
	const full = [first, last].map(asText).filter(Boolean).join(' ');
	return [
		{
			id,
			extension: numberOf(asText(entry.presence_id)?.trim() ?? '') || undefined,
			name: visibleName(full) ?? visibleName(asText(username)),
			email: asText(email)?.trim() || undefined,
			devices: [],
		},
	];
}

function readDevice(entry: IDataObject): Device[] {
	const id = idIn(entry);
	if (id === undefined) return [];
	const sip = isObject(entry.sip) ? entry.sip : {};
	return [
		{
			id,
			name: visibleName(asText(entry.name)),
			username: asText(entry.username) ?? asText(sip.username),
			type: asText(entry.device_type),
			enabled: entry.enabled !== false,
			ownerId: asText(entry.owner_id),
		},
	];
}

function withDevices(employees: Employee[], devices: readonly Device[]): Employee[] {
	const byOwner = new Map(employees.map((employee) => [employee.id, employee]));
	for (const device of devices) byOwner.get(device.ownerId ?? '')?.devices.push(device);
	return employees;
}

/** An employee of whom only the ID is known. */
function nobody(id: string): Employee {
	return { id, extension: undefined, name: undefined, email: undefined, devices: [] };
}

/** Chooses one phone, or all of an employee's. */
function phonesOf({ id, extension, name, devices }: Employee): Phones {
	const who = extension ?? name ?? id;
	const usable = devices.filter(({ enabled }) => enabled);
	const [first] = usable;
	if (!first)
		throw choiceError(
			devices.length === 0
				? `Employee ${who} has no phone`
				: `All phones of employee ${who} are turned off in the PBX`,
			"Assign a phone to the employee in the PBX, or choose another 'Employee'.",
		);
	const at = usable.length === 1 ? (['devices', first.id] as const) : (['users', id] as const);
	return { at, extension, name, devices: usable };
}

/** Reads one device, which also makes sure that the token still works. */
async function oneDevice(pbx: Requester, id: string): Promise<Phones> {
	const request = { method: 'GET', path: ['devices', id] } as const;
	const missing = `The PBX has no device ${id}`;
	const document = await pbx.send(request).catch(unlisted(pbx, missing));
	const [device] = readDevice({ ...documentOf(document), id });
	if (!device) throw choiceError(missing);
	if (!device.enabled)
		throw choiceError(
			`The device ${device.name ?? id} is turned off in the PBX`,
			'Turn it on there.',
		);
	return { at: ['devices', id], extension: undefined, name: undefined, devices: [device] };
}

/** Explains an unknown path: click to call isn't offered at all, or something else is missing. Always throws. */
function unlisted(pbx: Requester, missing?: string): (error: unknown) => Promise<never> {
	return async (error) => {
		if (!(error instanceof PbxError) || !error.isUnknownPath) throw error;
		const status = await readList(pbx, { path: ['devices'] }, { limit: 1 }).then(
			() => undefined,
			(fault: unknown) => (fault instanceof PbxError ? fault.status : undefined),
		);
		if (status !== undefined) throw notOffered(error);
		throw missing === undefined
			? choiceError(NOT_LISTED, 'Choose a phone by its device ID.')
			: choiceError(missing);
	};
}

const NOT_LISTED = "Your PBX doesn't list its employees";

/** Whether the PBX has no list of employees, or none for this login. */
const isNotListed = (error: unknown): boolean =>
	error instanceof PbxError && (error.details.reason === NOT_LISTED || error.status === 403);

async function directoryOf(
	listing: Promise<Employee[]>,
	onNone: () => void,
): Promise<FindEmployee> {
	const all = await listing.catch((error: unknown) => {
		if (!isNotListed(error)) throw error;
		onNone();
		return [];
	});
	const known = new Map<string, Set<Employee>>();
	for (const one of all)
		for (const user of [one.extension, ...one.devices.map(({ username }) => username)])
			if (user !== undefined) known.set(user, (known.get(user) ?? new Set()).add(one));
	return (user) => {
		const [only, ...others] = known.get(user) ?? [];
		return others.length === 0 ? only : undefined;
	};
}

function unlistable(error: unknown): never {
	if (!(error instanceof PbxError) || !error.isUnknownPath) throw error;
	throw choiceError(
		NOT_LISTED,
		'Ask your provider for `users` and `devices`. If you entered an account ID, check that as well.',
	);
}

const unknownExtension = (extension: string) =>
	choiceError(`No employee has the extension ${extension}`);

function choiceError(
	reason: string,
	hint = "Check 'Employee', or choose a phone by its device ID.",
) {
	return new PbxError({ kind: 'unsent', reason, hint });
}

export interface Phones {
	/** The path of one device, or of a user with several. */
	at: readonly ['devices' | 'users', string];
	extension: string | undefined;
	name: string | undefined;
	devices: readonly Device[];
}

export interface CallOrder {
	phones: Phones;
	number: string;
	/** The number to show to the other end. */
	callerId: string | undefined;
	autoAnswer: boolean;
}

export interface StartedCall {
	/** The ID of the call, which is that of the phone's leg; undefined if the PBX doesn't return it. */
	callId: string | undefined;
}

/**
 * Starts a call (`quickcall`): the PBX rings the phones, and then calls the number. Each request is sent once, since a
 * second one would ring again. Throws PbxError.
 */
async function startCall(pbx: Requester, order: CallOrder): Promise<StartedCall> {
	const { phones, number, callerId, autoAnswer } = order;
	const { quickcallMethods: methods, picksUpByDefault } = pbx.dialect;
	const query = {
		'cid-number': callerId,
		auto_answer: autoAnswer || picksUpByDefault ? autoAnswer : undefined,
	};
	const path = [...phones.at, 'quickcall', number];
	for (const [index, method] of methods.entries()) {
		try {
			const request = { method, path, query, isOnce: true };
			return { callId: callIdIn(await pbx.send(request)) };
		} catch (error) {
			const isUnknown = error instanceof PbxError && error.status === 405;
			if (!isUnknown || index === methods.length - 1) throw failedCall(error, order);
		}
	}
	throw notOffered();
}

/** A Kazoo returns the ID with POST; with GET, it chooses one for each phone before it rings. */
function callIdIn(response: unknown): string | undefined {
	const { call_id: callId, endpoints } = documentOf(response) ?? {};
	const [phone, ...others] = Array.isArray(endpoints) ? endpoints.filter(isObject) : [];
	return asText(callId) ?? (others.length === 0 ? asText(phone?.outbound_call_id) : undefined);
}

/** Returns the error for a PBX without click to call. */
function notOffered(error?: PbxError): PbxError {
	return new PbxError({
		kind: 'unsent',
		reason: "Your PBX doesn't offer click to call",
		hint: `It has no ${error?.request?.path.includes('quickcall') ? 'quickcall' : 'devices'} in its API${error?.status === undefined ? '' : ` (status ${error.status})`}. Ask your provider for \`devices\`, \`users\`, and \`quickcall\`. If you entered an account ID, check that as well.`,
	});
}

/** The result of ringing the phone, by the hang-up cause (seen in Kazoo's answers to POST). */
const PHONE: Record<string, string> = {
	CALL_REJECTED: 'declined the call',
	DESTINATION_OUT_OF_ORDER: "isn't connected to the PBX",
	NO_ANSWER: "wasn't picked up",
	NO_USER_RESPONSE: "didn't respond",
	SUBSCRIBER_ABSENT: "isn't connected to the PBX",
	UNALLOCATED_NUMBER: "isn't connected to the PBX",
	USER_BUSY: 'is busy',
	USER_NOT_REGISTERED: "isn't connected to the PBX",
};

/** Explains why a call couldn't be started, and whether its phone might ring anyway. */
function failedCall(error: unknown, { phones, number }: CallOrder): unknown {
	if (!(error instanceof PbxError) || !error.request || error.kind === 'cancelled') return error;
	const { details, request, kind } = error;
	if (error.isUnknownPath)
		return phones.at[0] === 'users' ? notTogether(phones) : notOffered(error);
	const { headline, hint } = wordsFor(error, `from ${ownerOf(phones)} to ${number}`);
	const failure = new PbxError(
		{ ...details, complaints: [], hint },
		kind === 'status' ? { ...request, headline } : request,
	);
	return error.mayHaveActed && !isOver(details)
		? failure.advise({ before: 'The phone might ring anyway: check before you run this again.' })
		: failure;
}

function ownerOf({ at, extension, name, devices }: Phones): string {
	return extension ?? name ?? devices[0]?.name ?? at[1];
}

/** Whether the PBX says why it gave up, so that no phone rings anymore. */
const isOver = ({ hangupCause = '' }: ErrorDetails) => /^[A-Z_]+$/.test(hangupCause);

function wordsFor({ details, mayHaveActed }: PbxError, call: string) {
	const { status = 0, complaints = [], hint = '', hangupCause = '' } = details;
	if (status === 401 || status === 403)
		return {
			headline: "The PBX doesn't allow this user to start calls",
			hint: "Ask your provider to allow `quickcall` for the credential's user. If the login has just changed, run again.",
		};
	const headline = `The call ${call} couldn't be started`;
	const phone = PHONE[hangupCause];
	if (phone)
		return { headline: `${headline}: the phone ${phone}`, hint: 'Check the phone, and run again.' };
	if (isOver(details)) return { headline: `${headline} (${hangupCause})`, hint };
	const said = status === 400 ? complaints.map(({ message }) => message).join('; ') : '';
	return { headline: said ? `${headline}: ${said}` : headline, hint: mayHaveActed ? '' : hint };
}

/** Returns the error for a PBX that has `quickcall` for devices only. */
function notTogether({ devices }: Phones): PbxError {
	const names = devices.map(({ id, name }) => (name === undefined ? id : `${name} (${id})`));
	return new PbxError({
		kind: 'unsent',
		reason: "Your PBX doesn't offer click to call for several phones at once",
		hint: `Choose one by its device ID: ${names.join(', ')}.`,
	});
}
