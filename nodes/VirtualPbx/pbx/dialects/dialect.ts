import type { IDataObject } from 'n8n-workflow';

import type { Pivot } from '../callflows/pivotModule';
import type { Requester } from '../client';
import type { LoginInput } from '../session/credential';
import { contract } from './contract';
import { kazoo } from './kazoo';

/** The differences between the platforms of the family. The credential chooses one; no other code asks which it is. */
export interface Dialect {
	/** How messages name the platform. */
	name: string;
	/** The platform's name (the path segment after `/v1/`), from the credential's field Platform Name. */
	platformName(entered: string): string;
	/** The path below the Base URL that stands for `/v1/{platform}` in all requests. */
	basePath(platform: string): string;
	/** Paths that users paste with the Base URL. */
	pastedPaths(platform: string): readonly string[];
	/** Whether one field of the account, its realm, must be set. Otherwise, its name is enough. */
	needsRealm: boolean;
	/** The payload of a login (§5.1). */
	loginData(login: LoginInput): IDataObject;
	/** The credential's fields that lead to the PBX, and those of the login, for messages. */
	fields: { address: string; login: string };
	/** Advice if the PBX says that this version of the interface is gone (410). */
	whenGone: string;
	/** Whether callflows can also be created outside an account (§4.2 note 2). */
	createsOutsideAccount: boolean;
	/** Returns the response format of pivot modules (§2.2) on a platform of this name. */
	responseFormat(platform: string): string;
	/** Whether the TIMESTAMP of a call record is when its leg began. At the contract's service, it is when it ended. */
	stampsBegin: boolean;
	/** Returns how to filter call records by a field (§4.3); undefined if they have no such field. */
	cdrFilter(field: string): CdrFilter | undefined;
	/** Where to download a recording that a call record names by its ID. */
	recordingById: RecordingById | undefined;
	/** The defaults of a new pivot module. */
	usualPivot: IDataObject;
	/** Returns what identifies a web service in a pivot module: the part of its address that names the service. */
	serviceOf(pivot: Pivot): string;
	/** Builds a pivot module's parameters from the values that are set. Throws PbxError for one that can't be kept. */
	pivotData(pivot: Pivot, callflowId: string): IDataObject;
	/** Advice if the PBX rejects the address in a pivot module. */
	rejectedAddress: string;
	/** How to start a call from an employee's phone, which the contract doesn't have. */
	clickToCall: ClickToCall;
	/** Finds what an extension rings first. Undefined if the list of users tells whose extension it is. */
	rungBy: ((pbx: Requester, extension: string) => Promise<Rung | undefined>) | undefined;
	/**
	 * Creates a function that rewrites valid routing answers (§2.3) into the platform's own form, with the IDs that they
	 * need, each looked up once. Undefined if the platform takes answers as they are.
	 */
	answerEncoder: ((pbx: Requester) => EncodeAnswer) | undefined;
}

/** The platform's own name of a field to filter by, or the listed field to compare here. */
export type CdrFilter = { filter: string } | { listed: string };

/** Recordings by their IDs. */
export interface RecordingById {
	/** Returns the path below the account, with its query. */
	path(id: string): string;
	/** The error for a PBX that doesn't have these addresses at all. */
	whenUnknown: { reason: string; hint: string };
	/** The error for a PBX that returns an empty file. */
	whenEmpty: { reason: string; hint: string };
}

export interface ClickToCall {
	/** In the order to try. The next one is for platforms that respond with 405 to the one before. */
	methods: ReadonlyArray<'GET' | 'POST'>;
	/** The query parameters for the caller ID and for picking up automatically. */
	query(settings: { callerId: string | undefined; autoAnswer: boolean }): IDataObject;
}

/** What an extension rings first; `module` is undefined if that is neither a user nor a device. */
export interface Rung {
	module?: 'user' | 'device';
	id?: string;
}

/** Throws PbxError that names the step, and for what takes longer than the client may. */
export type EncodeAnswer = (answer: IDataObject) => Promise<IDataObject>;

const DIALECTS: Record<string, Dialect> = { contract, kazoo };

/** Returns the platform that a credential chooses. Credentials saved before there was a choice have none. */
export function dialectOf(chosen: unknown): Dialect {
	const name = String(chosen ?? '');
	return (Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined) ?? contract;
}
