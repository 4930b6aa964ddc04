/** What every workflow of the comparison answers. */
exports.ANSWER = {
	operations: [
		{ type: 'extension', extension: '100', timeout: 20 },
		{ type: 'voicemail', extension: '100' },
	],
};
