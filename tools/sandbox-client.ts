import type { IDataObject } from 'n8n-workflow';
import type { CallOrder } from '../sandbox';

/** The sandbox's initial account. */
export const SANDBOX_LOGIN = {
	login: 'demo',
	password: 'demo-password',
	realm: 'demo.sandbox.local',
};

/** A call to place. docs/sandbox.md lists the defaults. */
export type CallRequest = Pick<CallOrder, 'from' | 'to'> & Partial<CallOrder>;

/** Drives a sandbox PBX over HTTP, through its control endpoints and its PBX API. */
export class SandboxClient {
	private signedIn: Promise<IDataObject> | undefined;

	constructor(readonly url: string) {}

	/** Places a call and returns the sandbox's description of it. */
	async call(order: CallRequest): Promise<IDataObject> {
		return await this.request('POST', '/sandbox/calls', { ...order });
	}

	/** Adds call records without calls. The sandbox fills in missing fields. */
	async addRecords(records: IDataObject[]): Promise<void> {
		await this.request('POST', '/sandbox/cdrs', { records });
	}

	/** Adds a call record with a recording. Returns both. */
	async addRecording(
		recording: Partial<Record<'bytes' | 'seconds' | 'delay_seconds', number>>,
	): Promise<{ file: string; url: string; cdr: Record<string, string> }> {
		return (await this.request('POST', '/sandbox/recordings', recording)) as never;
	}

	/** Returns the notes that workflows wrote into the sandbox's CRM. */
	async notes(): Promise<IDataObject[]> {
		const { notes } = await this.request('GET', '/sandbox/crm/notes');
		return (notes as IDataObject[]).map(({ body }) => body as IDataObject);
	}

	/** Returns the account's webhooks, each read on its own: on some platforms, the list omits fields. */
	async webhooks(): Promise<IDataObject[]> {
		const listed = (await this.pbx('GET', 'webhooks')).data as IDataObject[];
		const read = listed.map(async ({ id }) => await this.pbx('GET', `webhooks/${String(id)}`));
		return (await Promise.all(read)).map(({ data }) => data as IDataObject);
	}

	/** Sends a PBX API request below the account, with a token. */
	async pbx(method: string, path: string, data?: object): Promise<IDataObject> {
		this.signedIn ??= this.request('PUT', '/v1/pbx/user_auth', { data: SANDBOX_LOGIN });
		const { data: login, auth_token: token } = await this.signedIn;
		const { account_id: account } = login as IDataObject;
		const headers = { 'x-auth-token': String(token) };
		const place = `/v1/pbx/accounts/${String(account)}/${path}`;
		return await this.request(method, place, data && { data }, headers);
	}

	async reset(): Promise<void> {
		await this.request('POST', '/sandbox/reset', {});
		this.signedIn = undefined;
	}

	private async request(
		method: string,
		path: string,
		body?: object,
		headers: Record<string, string> = {},
	): Promise<IDataObject> {
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
			...(body && { body: JSON.stringify(body) }),
		});
		const text = await response.text();
		if (response.ok) return text ? (JSON.parse(text) as IDataObject) : {};
		const said = text.slice(0, 500);
		throw new Error(`The sandbox responded with ${response.status} to ${method} ${path}: ${said}`);
	}
}
