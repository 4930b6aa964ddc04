import type { IDataObject } from 'n8n-workflow';

/** A credential's fields as the host program keeps them. */
export type CredentialData = Record<string, unknown>;

export interface HttpRequest {
	method: 'DELETE' | 'GET' | 'POST' | 'PUT';
	/** Absolute. With a token, it can also be a path that the credential completes. */
	url: string;
	query?: IDataObject;
	headers: Record<string, string>;
	/** Sent as JSON. */
	body?: IDataObject;
	/** How long to wait for the response to begin, in milliseconds. */
	timeout?: number;
	/** Ends the request, and the body of its response. */
	signal: AbortSignal;
	/** Whether to accept a TLS certificate that can't be verified. */
	ignoreSslIssues: boolean;
}

/** The parts of a Node.js readable stream that this library uses. */
export interface ByteStream extends NodeJS.ReadableStream {
	destroy(error?: Error): unknown;
	compose(
		gather: (parts: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
	): NodeJS.ReadableStream;
}

/** A response whose body hasn't been read yet, whatever its status. */
export interface HttpResponse {
	statusCode: number;
	/** Names are in lower case. */
	headers: Record<string, unknown>;
	body: ByteStream;
}

/** A response whose body was read as JSON or text. */
export interface ReadResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/** Sends a request and returns its response as soon as it begins. Follows no redirects. */
export type Send = (request: HttpRequest) => Promise<HttpResponse>;

/**
 * Sends a request with a credential's token. If there is none, logs in first and writes the new token into the data.
 */
export type SendWithToken = (request: HttpRequest, data: CredentialData) => Promise<HttpResponse>;

/** The user who logs in (§5). */
export interface LoginInput {
	login: string;
	password: string;
	/** Empty if the account is named instead. */
	realm: string;
	/** Empty if the realm names the account. */
	accountName: string;
}

/** The PBX's data about the user who logged in (§5.2). */
export interface Session {
	token: string;
	accountId: string;
	accountName: string | undefined;
	accountRealm: string | undefined;
	ownerId: string | undefined;
	ownerRole: string | undefined;
}

/** A request as operations describe it. */
export interface PbxRequest {
	method: HttpRequest['method'];
	/** Path segments below the account; each is encoded. */
	path: readonly string[];
	query?: IDataObject | undefined;
	/** The payload, which gets wrapped into `{ data }` (§1). */
	data?: IDataObject | undefined;
	/** Whether the response must hold a list. */
	isList?: boolean;
	/** How many bytes the pages of a list may still have together. Each response reduces it. */
	budget?: { bytes: number };
	/** Whether the path is outside the account, as in §4.2 note 2. */
	outsideAccount?: boolean;
	/** Whether to send it even after cancellation, to undo a change that would be left half done. */
	evenWhenCancelled?: boolean | undefined;
	/** Never repeated, neither after a failure nor after a pause that the PBX asks for: its result isn't essential. */
	isOptional?: boolean;
	/** Sent at most once, whatever the response, even a rejected token: it might already have rung a phone. */
	isOnce?: boolean;
}

/** The user's settings for the account's calls. */
export interface CallSettings {
	/** How many digits extensions have: at least the first number, at most the second. */
	extensionDigits: readonly [min: number, max: number];
	/** The account's SIP domain, in lower case; empty if unknown. */
	realm: string;
	/** Whether the PBX reports only the legs to phones, never the one of the caller. */
	hasOnlyPhoneLegs: boolean;
}

/** The part of a client that sends requests, in one account. Its resources are built on it. */
export interface Requester {
	/** The account to work in; undefined for the login's own. */
	accountId: string | undefined;
	/** Sends a request and returns the full JSON of its response. Throws PbxError. */
	send(request: PbxRequest): Promise<unknown>;
	account: {
		/** Returns whose credential it is. Logs in at most once, shared by all callers. Throws PbxError. */
		get(): Promise<Session>;
	};
	dialect: Dialect;
	calls: CallSettings;
	/** The platform's name, which is also the name of its pivot format (§2.2). */
	platform: string;
	/**
	 * Returns the absolute address of a recording by its ID, once a request has named the account; undefined if the
	 * platform has none.
	 */
	recordingAddress(id: string): string | undefined;
	/** Aborts when a person or n8n cancels. */
	signal: AbortSignal;
}

/** How a pivot node calls a web service. Undefined keeps the node's value, or the platform's default. */
export interface Pivot {
	/** Host and path of the web service, without a scheme. */
	webserver: string;
	/** The scheme of its address, for platforms that don't choose it themselves. */
	scheme: string;
	/** The HTTP method of the PBX's requests, in upper case. */
	method: string | undefined;
	/** Seconds, as digits in text. */
	timeout: string | undefined;
	format: string | undefined;
}

/** A callflow (§2.2). */
export interface Callflow {
	/** Undefined if the PBX doesn't show it. */
	id: string | undefined;
	name: string | undefined;
	numbers: string[];
	patterns: string[];
	/** Undefined in a list. */
	flow: IDataObject | undefined;
	/** The response as the PBX sent it. */
	original: IDataObject;
}

/** A callflow whose flow the PBX shows. */
export interface WholeCallflow extends Callflow {
	flow: IDataObject;
}

/** The fields of a callflow to write. Undefined ones stay as they are. */
export interface CallflowInput {
	name?: string | undefined;
	numbers?: string[] | undefined;
	patterns?: string[] | undefined;
	/** A tree of modules, or a web service that the PBX asks instead. */
	flow?: IDataObject | undefined;
	pivot?: Pivot | undefined;
}

/** The differences between the platforms of the family, as data. The credential chooses one; no code asks which it is. */
export interface Dialect {
	/** How messages name the platform. */
	name: string;
	/** Its name in paths and as a format; undefined if the credential says it (API Path Segment). */
	platform: string | undefined;
	/** The path below the Base URL of all requests. `{platform}` stands for the platform's name. */
	basePath: string;
	/** Paths that users paste with the Base URL. */
	pastedPaths: readonly string[];
	/** Whether one field of the account, its realm, must be set. Otherwise, its name is enough. */
	needsRealm: boolean;
	/** Whether a login (§5.1) has an MD5 hash of user name and password instead of both. */
	hashesPassword: boolean;
	/** The credential's fields that lead to the PBX, and those of the login, for messages. */
	fields: { address: string; login: string };
	/** Advice if the PBX says that this version of the interface is gone (410). */
	whenGone: string;
	/** Query parameters for a list that is likely long, of which the contract has none. */
	longList: IDataObject;
	/** Whether callflows can also be created outside an account (§4.2 note 2). */
	createsOutsideAccount: boolean;
	/** Whether the TIMESTAMP of a call record is when its leg began. At the contract's service, it is when it ended. */
	stampsBegin: boolean;
	/** The fields of call records, for filters (§4.3). */
	cdrFields: {
		/** Those that filters compare; undefined if any can be one. */
		stored: readonly string[] | undefined;
		/** Those that only the list has, so that they are compared here. */
		listed: readonly string[];
		/** The stored names of fields that the list or the contract calls otherwise. */
		renamed: Readonly<Record<string, string>>;
	};
	/** Where to download a recording that a call record names by its ID; undefined if none does. */
	recordingById: RecordingById | undefined;
	/** Whether a pivot module has the whole address of its web service, rather than the contract's `{dflow}` (§2.2). */
	pivotsByUrl: boolean;
	/** The defaults of a new pivot module. */
	usualPivot: IDataObject;
	/** Advice if the PBX rejects the address in a pivot module. */
	rejectedAddress: string;
	/** Whether it takes flows with IDs as routing answers, rather than operations (§2.3). */
	takesFlows: boolean;
	/** Whether a callflow shows what an extension rings, rather than the list of users. */
	extensionsAreCallflows: boolean;
	/** The methods of `quickcall`, in the order to try: the next one is for platforms that respond with 405. */
	quickcallMethods: ReadonlyArray<'GET' | 'POST'>;
	/** Whether a single phone picks up by itself unless the request says otherwise. */
	picksUpByDefault: boolean;
}

interface RecordingById {
	/** The path below the account, with its query. `{id}` stands for the ID. */
	path: string;
	/** The error for a PBX that doesn't have these addresses at all. */
	whenUnknown: { reason: string; hint: string };
	/** The error for a PBX that returns an empty file. */
	whenEmpty: { reason: string; hint: string };
}

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
