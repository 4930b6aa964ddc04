import type { INodeProperties } from 'n8n-workflow';

/** How the PBX asks a web service (§2.2): method, time limit in seconds with its description, and format. */
export function pivotRequestFields(
	[method, timeout, format]: readonly [method: string, timeout: string, format: string],
	timeoutLimit: Pick<INodeProperties, 'typeOptions' | 'description'>,
): INodeProperties[] {
	return [
		{
			displayName: 'Request Method',
			name: method,
			type: 'options',
			options: [
				{ name: 'GET', value: 'GET' },
				{ name: 'POST', value: 'POST' },
			],
			default: 'GET',
			description: 'HTTP method of the requests from the PBX',
		},
		{
			displayName: 'Request Timeout (Seconds)',
			name: timeout,
			type: 'number',
			default: 5,
			...timeoutLimit,
		},
		{
			displayName: 'Response Format',
			name: format,
			type: 'string',
			default: '',
			placeholder: 'e.g. pbx',
			description: 'Name of the response format. By default, it is the name of the platform.',
		},
	];
}
