/**
 * The least that nodes of a community package can do: what n8n itself takes shows beside them. n8n loads them by
 * `N8N_CUSTOM_EXTENSIONS`.
 */

const CREDENTIAL = 'virtualPbxApi';
/** As many requests as our node keeps under way. */
const AT_ONCE = 20;

/** What n8n needs to know of a node. */
const describe = (name, more) => ({
	displayName: name,
	name,
	group: ['transform'],
	version: 1,
	description: 'Does as little as can be',
	defaults: { name },
	inputs: ['main'],
	outputs: ['main'],
	properties: [],
	...more,
});

/** A trigger that starts the workflow, which answers by a node. */
class FloorTrigger {
	description = describe('floorTrigger', {
		group: ['trigger'],
		inputs: [],
		webhooks: [
			{ name: 'default', httpMethod: 'GET', path: 'routing', responseMode: 'responseNode' },
		],
	});

	async webhook() {
		return { workflowData: [[{ json: {} }]] };
	}
}

/** A node that answers with a fixed text. */
class FloorRespond {
	description = describe('floorRespond', {
		properties: [{ displayName: 'Answer', name: 'answer', type: 'json', default: '' }],
	});

	async execute() {
		const body = JSON.parse(this.getNodeParameter('answer', 0));
		this.sendResponse({ body, headers: {}, statusCode: 200 });
		return [this.getInputData()];
	}
}

const numberOf = (party) => /^(?:sip:)?([^@]*)/.exec(party ?? '')[1];

/** The fields that our node gives for a call record, as a Code node would write them: for usual records only. */
const readable = (record) => ({
	callType: null,
	outcome: Number(record.BILLING_SECONDS) > 0 ? 'answered' : 'noAnswer',
	missed: null,
	customerNumber: numberOf(record.CALLER_ID_NUMBER),
	employee: null,
	companyNumber: numberOf(record.CALLEE_ID_NUMBER),
	at: new Date((Number(record.TIMESTAMP) - 62_167_219_200) * 1000).toISOString(),
	talkSeconds: Number(record.BILLING_SECONDS),
	recordingUrl: record.REC_FILE ? record.REC_LINK + record.REC_FILE : null,
	callId: record.BRIDGE_ID,
});

/** A node that reads an address for each item by n8n's own helper, and gives the `data` of the answers as items. */
class FloorReads {
	description = describe('floorReads', {
		credentials: [{ name: CREDENTIAL, required: true }],
		properties: [
			{ displayName: 'URL', name: 'url', type: 'string', default: '' },
			{ displayName: 'Simplify', name: 'simplify', type: 'boolean', default: false },
		],
	});

	async execute() {
		const shape = this.getNodeParameter('simplify', 0) ? readable : (json) => json;
		const { length } = this.getInputData();
		const results = [];
		let next = 0;
		const reader = async () => {
			while (next < length) {
				const item = next++;
				const { data } = await this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, {
					url: this.getNodeParameter('url', item),
					json: true,
				});
				results[item] = [data].flat().map((one) => ({ json: shape(one), pairedItem: { item } }));
			}
		};
		await Promise.all(Array.from({ length: AT_ONCE }, reader));
		return [results.flat()];
	}
}

/** A node that streams an address by n8n's own helper into n8n's binary store. */
class FloorDownload {
	description = describe('floorDownload', {
		credentials: [{ name: CREDENTIAL, required: true }],
		properties: [{ displayName: 'URL', name: 'url', type: 'string', default: '' }],
	});

	async execute() {
		const file = await this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, {
			url: this.getNodeParameter('url', 0),
			encoding: 'stream',
		});
		return [[{ json: {}, binary: { data: await this.helpers.prepareBinaryData(file, 'a.wav') } }]];
	}
}

module.exports = { FloorDownload, FloorReads, FloorRespond, FloorTrigger };
