import type { drive_v3 } from '@googleapis/drive';
import type { sheets_v4 } from '@googleapis/sheets';
import type * as objects from '@hubspot/api-client/lib/codegen/crm/objects';
import type * as owners from '@hubspot/api-client/lib/codegen/crm/owners';
import type { OwnersApiGetPageRequest } from '@hubspot/api-client/lib/codegen/crm/owners/types/ObjectParamAPI';
import type * as files from '@hubspot/api-client/lib/codegen/files';
import type { ChatPostMessageArguments, ChatPostMessageResponse } from '@slack/web-api';
import type * as v1 from 'pipedrive/v1';
import type * as v2 from 'pipedrive/v2';

/** A request and its response, if it was accepted. */
export interface Exchange {
	/** Its method and its path, as the simulated service has it. */
	route: string;
	query?: object;
	body?: unknown;
	response?: unknown;
}

/** All that went through a simulated service. */
export interface Recording {
	/** Undefined if there is no official client. */
	readonly official?: keyof OfficialRoutes;
	/** By their text without numbers: others have the same form. */
	readonly exchanges: Map<string, Exchange>;
}

/** The exchanges of services with an official client, by that client's types. */
export interface OfficialRoutes {
	googleDrive: GoogleDriveRoutes;
	googleSheets: GoogleSheetsRoutes;
	hubspot: HubspotRoutes;
	pipedrive: PipedriveRoutes;
	slack: SlackRoutes;
}

/** A name without the underscore by which a generated client keeps clear of JavaScript's own words. */
type Plain<K> = K extends `_${infer Name}` ? Name : K;

/** A client's type as JSON: dates and enumerations are texts. */
type Wire<T> = 0 extends T & 1
	? T
	: T extends Date
		? string
		: T extends string
			? `${T}`
			: T extends Array<infer Item>
				? Array<Wire<Item>>
				: T extends object
					? { [K in keyof T as Plain<K>]: Wire<T[K]> }
					: T;

type Text<T> = T extends number
	? `${number}`
	: T extends boolean
		? `${boolean}`
		: T extends Array<infer Item>
			? Text<Item> | Array<Text<Item>>
			: T;

/** A client's parameters as a URL has them: all are texts, and a list of one is no list. */
type Query<T> = { [K in keyof T]: Text<T[K]> };

/** The parameters that Google's clients don't put into the body. */
type Rest<T> = Query<Omit<T, 'auth' | 'media' | 'requestBody'>>;
type Create = Rest<drive_v3.Params$Resource$Files$Create>;
type List = Rest<drive_v3.Params$Resource$Files$List>;

interface GoogleSheetsRoutes {
	'POST /v4/spreadsheets': {
		body: sheets_v4.Schema$Spreadsheet;
		response?: sheets_v4.Schema$Spreadsheet;
	};
	'GET /v4/spreadsheets/:id/values::batchGet': {
		query: Rest<sheets_v4.Params$Resource$Spreadsheets$Values$Batchget>;
		response?: sheets_v4.Schema$BatchGetValuesResponse;
	};
	'GET /v4/spreadsheets/:id/values/:range': {
		query?: Rest<sheets_v4.Params$Resource$Spreadsheets$Values$Get>;
		response?: sheets_v4.Schema$ValueRange;
	};
	'PUT /v4/spreadsheets/:id/values/:range': {
		query: Rest<sheets_v4.Params$Resource$Spreadsheets$Values$Update>;
		body: sheets_v4.Schema$ValueRange;
		response?: sheets_v4.Schema$UpdateValuesResponse;
	};
	'POST /v4/spreadsheets/:id/values/:range': {
		query: Rest<sheets_v4.Params$Resource$Spreadsheets$Values$Append>;
		body: sheets_v4.Schema$ValueRange;
		response?: sheets_v4.Schema$AppendValuesResponse;
	};
	/** The same credential lets the workflow keep recordings in Google Drive. */
	'POST /upload/drive/v3/files': {
		query: Create & { uploadType: 'media' };
		response?: drive_v3.Schema$File;
	};
}

interface GoogleDriveRoutes {
	/** n8n signs in itself. The client leaves it to google-auth-library, which doesn't type it. */
	'POST /token': { response?: Record<string, unknown> };
	'GET /drive/v3/files': { query: List; response?: drive_v3.Schema$FileList };
	'POST /upload/drive/v3/files': { query: Create; body: drive_v3.Schema$File };
	/** The client names the upload itself. */
	'PUT /upload/drive/v3/files': {
		query: Create & { upload_id: string };
		response?: drive_v3.Schema$File;
	};
	/** n8n's node sends its options of a search, too, which Drive ignores. */
	'PATCH /drive/v3/files/:id': {
		query?: Rest<drive_v3.Params$Resource$Files$Update> & List;
		body: drive_v3.Schema$File;
		response?: drive_v3.Schema$File;
	};
}

/** The client has only texts in `sorts`. HubSpot's search guide shows objects. */
type Search = Omit<objects.PublicObjectSearchRequest, 'sorts'> & {
	sorts?: Array<{ propertyName: string; direction: 'ASCENDING' | 'DESCENDING' }>;
};

/** The client's version 3 has the same types as 2026-03. */
interface HubspotRoutes {
	'POST /crm/objects/2026-03/:kind(contacts|calls|notes|tasks)/search': {
		body: Wire<Search>;
		response?: Wire<objects.CollectionResponseWithTotalSimplePublicObjectForwardPaging>;
	};
	'POST /crm/objects/2026-03/:kind(contacts|calls|notes|tasks)': {
		body: Wire<objects.SimplePublicObjectInputForCreate>;
		response?: Wire<objects.SimplePublicObject>;
	};
	'POST /crm/objects/2026-03/:kind(contacts|calls|notes|tasks)/batch/update': {
		body: Wire<objects.BatchInputSimplePublicObjectBatchInput>;
		response?: Wire<
			objects.BatchResponseSimplePublicObject &
				Pick<objects.BatchResponseSimplePublicObjectWithErrors, 'errors' | 'numErrors'>
		>;
	};
	'PATCH /crm/objects/2026-03/:kind(contacts|calls|notes|tasks)/:id': {
		body: Wire<objects.SimplePublicObjectInput>;
		response?: Wire<objects.SimplePublicObject>;
	};
	'POST /files/v3/files': { response?: Wire<files.ModelFile> };
	/** The client doesn't have it. */
	'GET /account-info/v3/details': { response?: Record<string, unknown> };
	'GET /crm/v3/owners': {
		query?: Query<OwnersApiGetPageRequest>;
		response?: Wire<owners.CollectionResponsePublicOwnerForwardPaging>;
	};
}

/** The client sends the token of n8n's credential as a header. */
interface Login {
	api_token: string;
}
type Asked<Body> = { query: Login; body: Body };

interface PipedriveRoutes {
	'GET /v1/userSettings': { query: Login; response?: v1.GetUserSettingsResponse };
	'GET /v1/users/find': {
		query: Query<v1.UsersApiFindUsersByNameRequest> & Login;
		response?: v1.GetUsersResponse;
	};
	'GET /api/v2/persons/search': {
		query: Query<v2.PersonsApiSearchPersonsRequest> & Login;
		response?: v2.GetPersonSearchResponse;
	};
	'POST /api/v2/persons': Asked<v2.AddPersonRequest> & { response?: v2.UpsertPersonResponse };
	'GET /api/v2/activities': {
		query: Query<v2.ActivitiesApiGetActivitiesRequest> & Login;
		response?: v2.GetActivitiesResponse;
	};
	'GET /api/v2/activities/:id': { query: Login; response?: v2.UpsertActivityResponse };
	'POST /api/v2/activities': Change;
	'PATCH /api/v2/activities/:id': Change;
	'POST /v1/notes': Asked<v1.AddNoteRequest> & { response?: v1.UpsertNoteResponse };
	'POST /v1/callLogs': Asked<v1.AddCallLogRequest> & { response?: v1.GetCallLogResponse };
	'POST /v1/callLogs/:id/recordings': { query: Login; response?: v1.BaseResponse };
}
type Change = Asked<v2.AddActivityRequest> & { response?: v2.UpsertActivityResponse };

interface SlackRoutes {
	'POST /api/chat.postMessage': {
		/** n8n's node sends its own option, which Slack doesn't know and ignores. */
		body: ChatPostMessageArguments & { includeLinkToWorkflow?: boolean };
		response?: ChatPostMessageResponse;
	};
}
