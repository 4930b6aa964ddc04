import { configWithoutCloudSupport } from '@n8n/node-cli/eslint';

// Rules for code that runs inside a node make no sense here.
const notNodeCode = {
	rules: {
		'no-console': 'off',
		'@n8n/community-nodes/require-node-api-error': 'off',
		'@n8n/community-nodes/no-dangerous-functions': 'off',
	},
};

/** Names that begin with `_` are there to be left out. */
const unusedNames = {
	files: ['**/*.ts'],
	rules: {
		'@typescript-eslint/no-unused-vars': [
			'error',
			{ argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
		],
	},
};

export default [...configWithoutCloudSupport, notNodeCode, unusedNames];
