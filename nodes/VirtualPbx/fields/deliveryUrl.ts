import type { INodeProperties } from 'n8n-workflow';

/** Where the PBX is to call a trigger, when not at n8n's own address; read by `deliveryAddress`. */
export const deliveryUrlOption: INodeProperties = {
	displayName: 'Delivery URL',
	name: 'deliveryUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. http://hooks.example.com',
	description:
		"Address that the PBX calls when it cannot call n8n's webhook URL, such as that of a proxy. It replaces the scheme, host and port; the path of the webhook is added to it.",
};
