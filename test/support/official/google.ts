import type { drive_v3 } from '@googleapis/drive';
import type { sheets_v4 } from '@googleapis/sheets';
import type { Query } from './wire';

/** The parameters that Google's clients don't put into the body. */
type Rest<T> = Query<Omit<T, 'auth' | 'media' | 'requestBody'>>;

/** n8n signs in itself. These clients leave it to google-auth-library, which doesn't type it. */
interface SignIn {
	'POST /token': { body: Record<string, string>; response?: Record<string, unknown> };
}

/** Google Sheets' exchanges with the types of its official client. */
export interface GoogleSheetsRoutes extends SignIn {
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
		query: Rest<drive_v3.Params$Resource$Files$Create> & { uploadType: 'media' };
		response?: drive_v3.Schema$File;
	};
}

/** Google Drive's exchanges with the types of its official client. */
export interface GoogleDriveRoutes extends SignIn {
	'GET /drive/v3/files': {
		query: Rest<drive_v3.Params$Resource$Files$List>;
		response?: drive_v3.Schema$FileList;
	};
	'POST /upload/drive/v3/files': {
		query: Rest<drive_v3.Params$Resource$Files$Create>;
		body: drive_v3.Schema$File;
	};
	/** The client names the upload itself. */
	'PUT /upload/drive/v3/files': {
		query: Rest<drive_v3.Params$Resource$Files$Create> & { upload_id: string };
		response?: drive_v3.Schema$File;
	};
	/** n8n's node sends its options of a search, too, which Drive ignores. */
	'PATCH /drive/v3/files/:id': {
		query?: Rest<drive_v3.Params$Resource$Files$Update & drive_v3.Params$Resource$Files$List>;
		body: drive_v3.Schema$File;
		response?: drive_v3.Schema$File;
	};
}
