import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { forgetLogins } from '../../nodes/VirtualPbx/pbx/login';
import { platformField } from './profile';
import { makeRecordTrigger, runNode, storeCredential } from './core';
import type { NodeInput, StoredCredential, TestRecordTrigger } from './core';

/** The password of {@link credentialOf}, which no message may repeat. */
const PASSWORD = 'secret-word';

/** Stores the login for a PBX, with changes. Clears what the process remembers of earlier logins. */
export async function credentialOf(
	{ url }: { url: string },
	changes: Parameters<typeof storeCredential>[0] = {},
): Promise<StoredCredential> {
	forgetLogins();
	const login = { login: 'demo', password: PASSWORD, realm: 'demo.example' };
	return await storeCredential({ baseUrl: url, ...login, ...platformField(), ...changes });
}

/** Runs one operation, such as `callflow:get`, and returns its items or its error. */
export async function operate(
	credential: StoredCredential,
	name: string,
	parameters: INodeParameters = {},
	more: Partial<NodeInput> = {},
) {
	const [resource = '', operation = ''] = name.split(':');
	const all = { resource, operation, ...parameters };
	const run = await runNode({ type: 'virtualPbx', credential, parameters: all, ...more });
	return { ...run, error: run.error as (Error & { description?: string }) | undefined };
}

/** Creates an unpublished Call Record Trigger on a PBX, for call records by default. */
export async function recordTriggerOn(
	pbx: { url: string },
	parameters: IDataObject = {},
	name = 'Call Records',
): Promise<TestRecordTrigger> {
	return await makeRecordTrigger({
		type: 'virtualPbxRecordTrigger',
		name,
		credential: await credentialOf(pbx),
		parameters: { event: 'newCallRecord', ...parameters } as never,
	});
}

/** The record of a call's inbound leg that ended `secondsAgo` (§2.4). */
export const recordOf = (id: string, secondsAgo = 0): IDataObject => ({
	CALL_DIRECTION: 'inbound',
	BRIDGE_ID: id,
	TIMESTAMP: String(62_167_219_200 + Math.floor(Date.now() / 1000) - secondsAgo),
});

/** Returns what identifies calls or records. */
export const idsOf = (items: IDataObject[] | null) => (items ?? []).map(({ callId }) => callId);
