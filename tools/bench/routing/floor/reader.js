/**
 * A node of a community package that reads what an address gives, by n8n's own helper.
 *
 * @param {string} name of the node
 * @param {(context: object, read: (item: number) => Promise<object>) => Promise<object[]>} execute gives the items;
 * `read` asks the address of an item
 */
exports.readerNode = (name, execute) =>
	class {
		constructor() {
			this.description = {
				displayName: name,
				name,
				group: ['input'],
				version: 1,
				description: 'Reads what an address gives',
				defaults: { name },
				inputs: ['main'],
				outputs: ['main'],
				properties: ['url', 'token'].map((field) => ({
					displayName: field,
					name: field,
					type: 'string',
					default: '',
				})),
			};
		}

		async execute() {
			const headers = { 'x-auth-token': this.getNodeParameter('token', 0) };
			const read = async (item) =>
				await this.helpers.httpRequest({
					url: this.getNodeParameter('url', item),
					headers,
					json: true,
				});
			return [await execute(this, read)];
		}
	};
