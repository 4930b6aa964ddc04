import type { GoogleDriveRoutes, GoogleSheetsRoutes } from './google';
import type { HubspotRoutes } from './hubspot';
import type { PipedriveRoutes } from './pipedrive';
import type { SlackRoutes } from './slack';

/** The exchanges of services with an official client, by that client's types. */
export interface OfficialRoutes {
	googleDrive: GoogleDriveRoutes;
	googleSheets: GoogleSheetsRoutes;
	hubspot: HubspotRoutes;
	pipedrive: PipedriveRoutes;
	slack: SlackRoutes;
}

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
