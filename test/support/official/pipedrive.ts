import type * as v1 from 'pipedrive/v1';
import type * as v2 from 'pipedrive/v2';
import type { Query } from './wire';

/** The client sends the token of n8n's credential as a header. */
interface Login {
	api_token: string;
}

/** Pipedrive's exchanges with the types of its official client. */
export interface PipedriveRoutes {
	'GET /v1/userSettings': { query: Login; response?: v1.GetUserSettingsResponse };
	'GET /v1/users/find': {
		query: Query<v1.UsersApiFindUsersByNameRequest> & Login;
		response?: v1.GetUsersResponse;
	};
	'GET /api/v2/persons/search': {
		query: Query<v2.PersonsApiSearchPersonsRequest> & Login;
		response?: v2.GetPersonSearchResponse;
	};
	'POST /api/v2/persons': {
		query: Login;
		body: v2.AddPersonRequest;
		response?: v2.UpsertPersonResponse;
	};
	'GET /api/v2/activities': {
		query: Query<v2.ActivitiesApiGetActivitiesRequest> & Login;
		response?: v2.GetActivitiesResponse;
	};
	'GET /api/v2/activities/:id': { query: Login; response?: v2.UpsertActivityResponse };
	'POST /api/v2/activities': {
		query: Login;
		body: v2.AddActivityRequest;
		response?: v2.UpsertActivityResponse;
	};
	'PATCH /api/v2/activities/:id': {
		query: Login;
		body: v2.AddActivityRequest;
		response?: v2.UpsertActivityResponse;
	};
	'POST /v1/notes': { query: Login; body: v1.AddNoteRequest; response?: v1.UpsertNoteResponse };
	'POST /v1/callLogs': {
		query: Login;
		body: v1.AddCallLogRequest;
		response?: v1.GetCallLogResponse;
	};
	'POST /v1/callLogs/:id/recordings': { query: Login; response?: v1.BaseResponse };
}
