import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { senderOf } from '../nodes/VirtualPbx/parameters/credential';
import { testLogin } from '../nodes/VirtualPbx/pbx/client';
import { authenticateRequest, readCredential } from '../nodes/VirtualPbx/pbx/credential';
import { renewToken, senderOfLogin } from '../nodes/VirtualPbx/pbx/login';
import { COUNTRY_DESCRIPTION, countryOptions } from '../nodes/VirtualPbx/util/phone';

/** Header that marks the credential test's request; never sent. */
const TEST_HEADER = 'X-Credential-Test';

/** Login data of one PBX account. n8n stores the token that it is exchanged for (§5). */
export class VirtualPbxApi implements ICredentialType {
	name = 'virtualPbxApi';

	displayName = 'Virtual PBX API';

	icon: Icon = {
		light: 'file:../icons/virtualPbx.svg',
		dark: 'file:../icons/virtualPbx.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-virtual-pbx/n8n-nodes-virtual-pbx/blob/main/docs/credential.md';

	properties: INodeProperties[] = [
		{
			displayName: 'API',
			name: 'dialect',
			type: 'options',
			options: [
				{
					name: 'Hosted PBX (/v1)',
					value: 'contract',
					description: 'Addresses look like https://…/v1/pbx/accounts/…, with another name for pbx',
				},
				{
					name: 'Kazoo (/v2)',
					value: 'kazoo',
					description: 'Addresses look like https://…/v2/accounts/…',
				},
			],
			default: 'contract',
			description:
				"The API that your PBX has, by the look of its addresses. Your provider's documentation shows them.",
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://pbx.example.com',
			description: 'Address of the PBX API, without /v1 or /v2',
		},
		{
			displayName: 'Login',
			name: 'login',
			type: 'string',
			default: '',
			required: true,
			description: 'User name in the PBX. Create a separate user for n8n.',
		},
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Password of this user. n8n sends it only to log in.',
		},
		{
			displayName: 'Realm',
			name: 'realm',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. company.pbx.example.com',
			description: 'SIP domain of your account, from your provider',
			displayOptions: { hide: { dialect: ['kazoo'] } },
		},
		{
			displayName: 'Realm',
			name: 'realm',
			type: 'string',
			default: '',
			placeholder: 'e.g. company.kazoo.example.com',
			description: 'SIP domain of your account. If you leave it empty, enter the Account Name.',
			displayOptions: { show: { dialect: ['kazoo'] } },
		},
		{
			displayName: 'Account Name',
			name: 'accountName',
			type: 'string',
			default: '',
			placeholder: 'e.g. Company',
			description: 'Name of your account in Kazoo, which you can enter instead of the Realm',
			displayOptions: { show: { dialect: ['kazoo'] } },
		},
		{
			displayName: 'Country for Phone Numbers',
			name: 'country',
			type: 'options',
			default: '',
			description: COUNTRY_DESCRIPTION,
			options: countryOptions({ name: "Don't Convert", value: '' }),
		},
		{
			displayName: 'API Path Segment',
			name: 'platform',
			type: 'string',
			default: 'pbx',
			displayOptions: { hide: { dialect: ['kazoo'] } },
			description:
				'Path segment after /v1/ in the URLs of your PBX. Keep "pbx" unless your provider says otherwise.',
		},
		{
			displayName: 'Extension Length',
			name: 'extensions',
			type: 'string',
			default: '',
			placeholder: 'e.g. 3 or 3-4',
			description:
				'How many digits your extensions have. Leave it empty for up to six. Set it if customers call you from short numbers.',
		},
		{
			displayName: 'Reported Parts of Calls',
			name: 'reportedLegs',
			type: 'options',
			options: [
				{
					name: 'Caller and Phones',
					value: 'all',
					description: 'The PBX reports the caller and each phone that rings',
				},
				{
					name: 'Phones Only',
					value: 'phones',
					description: 'The PBX never reports the caller',
				},
			],
			default: 'all',
			description:
				'The parts of calls that your PBX reports in events and call records. Keep "Caller and Phones" unless calls from outside never start a workflow.',
		},
		{
			displayName: 'Recording Hosts',
			name: 'recordingHosts',
			type: 'string',
			default: '',
			placeholder: 'e.g. records.example.com',
			description:
				'Other hosts that can receive the access token, separated by commas. Needed only if recordings are stored on a different host than the Base URL.',
		},
		{
			displayName: 'Ignore SSL Issues (Insecure)',
			name: 'ignoreSslIssues',
			type: 'boolean',
			default: false,
			description: "Whether to connect even if the PBX's TLS certificate can't be verified",
		},
		{
			displayName: 'Token',
			name: 'authToken',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
		{
			displayName: 'Account ID',
			name: 'accountId',
			type: 'hidden',
			default: '',
		},
		{
			displayName: 'Webhook Secret',
			name: 'webhookSecret',
			type: 'hidden',
			typeOptions: { password: true },
			default: '',
		},
	];

	test: ICredentialTestRequest = {
		request: {
			url: '/v1/{platform}/accounts/{account_id}/callflows',
			headers: { [TEST_HEADER]: 'yes' },
		},
	};

	/** Exchanges the login data for a token (§5.1, §5.2). n8n stores the result. */
	async preAuthentication(this: IHttpRequestHelper, data: ICredentialDataDecryptedObject) {
		return { ...(await renewToken(senderOf(this.helpers.httpRequest), data)) };
	}

	/** Adds the address and the token to a request (§5.3). For the credential test, tries the login first. */
	async authenticate(
		data: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { [TEST_HEADER]: ofTest, ...headers } = request.headers ?? {};
		const options = authenticateRequest(data, { ...request, headers });
		const send = ofTest === undefined ? undefined : senderOfLogin(readCredential(data));
		if (send)
			await testLogin(send, options as { url: string; headers: Record<string, string> }, data);
		return options;
	}
}
