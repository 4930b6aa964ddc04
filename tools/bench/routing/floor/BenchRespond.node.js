/** The least that a node of a community package can do to answer a webhook: it sends its item. */
class BenchRespond {
	constructor() {
		this.description = {
			displayName: 'Bench Respond',
			name: 'benchRespond',
			group: ['output'],
			version: 1,
			description: 'Sends its item',
			defaults: { name: 'Bench Respond' },
			inputs: ['main'],
			outputs: ['main'],
			properties: [],
		};
	}

	async execute() {
		const items = this.getInputData();
		this.sendResponse({ body: items[0].json, headers: {}, statusCode: 200 });
		return [items];
	}
}

module.exports = { BenchRespond };
