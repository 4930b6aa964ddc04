const { ANSWER } = require('./answer.js');

/**
 * The least that a trigger of a community package can do: it hands the answer on.
 *
 * @param {string} name of the node
 * @param {'lastNode' | 'onReceived' | 'responseNode'} responseMode fixed, so that n8n has no expression to evaluate
 * @param {'GET' | 'POST'} httpMethod
 */
exports.emptyTrigger = (name, responseMode, httpMethod = 'GET') =>
	class {
		constructor() {
			this.description = {
				displayName: name,
				name,
				group: ['trigger'],
				version: 2,
				description: 'Does nothing',
				defaults: { name },
				inputs: [],
				outputs: ['main'],
				webhooks: [
					{
						name: 'default',
						httpMethod,
						path: 'routing',
						responseMode,
						responseData: 'firstEntryJson',
					},
				],
				properties: [],
			};
		}

		async webhook() {
			return { workflowData: [[{ json: ANSWER }]] };
		}
	};
