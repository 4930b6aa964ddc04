import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../util/json';
import { numberOf, visibleName } from '../util/party';
import type { Requester } from './types';
import { documentOf, idIn } from './documents';
import { PbxError } from './errors/pbxError';
import type { ListOptions } from './pages';
import { readList } from './pages';
import type { CallOrder, Phones, StartedCall } from './quickcall';
import { notOffered, startCall } from './quickcall';

/** A phone or another device of the account. */
export interface Device {
	id: string;
	name: string | undefined;
	/** The user part of its SIP address. */
	username: string | undefined;
	/** Such as `sip_device`. */
	type: string | undefined;
	/** Whether it can be used. The phone can still be disconnected. */
	enabled: boolean;
	ownerId: string | undefined;
}

/** A user of the account, with the devices that belong to them. */
export interface Employee {
	id: string;
	extension: string | undefined;
	name: string | undefined;
	email: string | undefined;
	devices: Device[];
}

/** Whose phone a call starts from. */
export type PhoneChoice = { extension: string } | { userId: string } | { deviceId: string };

/**
 * The users and devices of an account. The contract has neither; live services and Kazoo do (docs/internals/interface.md,
 * §10). All methods throw PbxError.
 */
export interface Employees {
	/** Lists employees, and asks the PBX only once. `keep` sees no devices. */
	list(options?: ListOptions<Employee>): Promise<Employee[]>;
	/** Lists the devices of the account. */
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
		return (await readList(pbx, { path: ['devices'], query }, { keep })).flatMap(readDevice);
	};
	const users = async (options?: ListOptions<Employee>, query?: IDataObject) => {
		const { limit, keep = () => true } = options ?? {};
		const isKept = (entry: IDataObject) => readUser(entry).some(keep);
		const request = { path: ['users'], query };
		return (await readList(pbx, request, { limit, keep: isKept })).flatMap(readUser);
	};
	let all: Promise<Employee[]> | undefined;
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
		async list(options) {
			const read = async () =>
				withDevices(...(await Promise.all([users(options), devices()]).catch(unlistable)));
			return await (options ? read() : (all ??= read()));
		},
		async phones(choice) {
			if ('deviceId' in choice) return await oneDevice(pbx, choice.deviceId);
			if ('userId' in choice) return phonesOf(await own(nobody(choice.userId)));
			const { extension } = choice;
			const { rungBy } = pbx.dialect;
			if (!rungBy) return phonesOf(await own(await withExtension(extension)));
			const rung = await rungBy(pbx, extension);
			if (!rung) throw unknownExtension(extension);
			if (rung.id === undefined)
				throw choiceError(`Extension ${extension} rings neither an employee nor a device`);
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
