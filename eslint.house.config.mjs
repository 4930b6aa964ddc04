// Our own rules, beside n8n's (eslint.config.mjs must stay n8n's default in strict mode).
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

const NODE_HOME = './nodes/VirtualPbx';

/** Imports point down: a room may import from those listed here, and from itself. */
const ROOMS = {
	actions: ['triggers', 'parameters', 'calls', 'pbx', 'util'],
	triggers: ['parameters', 'calls', 'pbx', 'util'],
	methods: ['parameters', 'pbx', 'util'],
	parameters: ['calls', 'pbx', 'util'],
	calls: ['pbx', 'util'],
	pbx: ['util'],
	util: [],
};

const zones = Object.entries(ROOMS).map(([folder, allowed]) => ({
	target: `${NODE_HOME}/${folder}`,
	from: NODE_HOME,
	except: [...allowed, folder].map((name) => `./${name}`),
	message: `nodes/VirtualPbx/${folder} may import only from: ${[folder, ...allowed].join(', ')}`,
}));

export default tseslint.config(
	{ ignores: ['dist', 'build', '.n8n', 'node_modules', 'coverage'] },
	{
		files: ['**/*.ts'],
		extends: [tseslint.configs.base],
		linterOptions: { reportUnusedDisableDirectives: 'off' },
		plugins: { 'import-x': importX },
		settings: {
			'import-x/extensions': ['.ts'],
			'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
			'import-x/resolver': { node: { extensions: ['.ts', '.js', '.mjs'] } },
		},
		rules: {
			'@typescript-eslint/no-explicit-any': 'error',
			'@typescript-eslint/no-non-null-assertion': 'error',
			'@typescript-eslint/ban-ts-comment': 'error',
			'@typescript-eslint/consistent-type-imports': 'error',
			complexity: ['error', 15],
			'max-depth': ['error', 3],
			'max-lines': ['error', 350],
			'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
		},
	},
	{
		files: ['{nodes,credentials,sandbox,tools}/**/*.ts'],
		rules: { 'import-x/no-cycle': ['error', { ignoreExternal: true }] },
	},
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		rules: {
			'import-x/no-restricted-paths': ['error', { zones }],
			'no-restricted-imports': [
				'error',
				{
					patterns: [
						{
							group: ['**/sandbox/**', '**/test/**', '**/tools/**'],
							message: 'Published code imports nothing from the repo’s tools.',
						},
					],
				},
			],
		},
	},
	{
		files: ['nodes/**/*.ts'],
		ignores: [
			'nodes/VirtualPbx/parameters/credential.ts',
			'nodes/VirtualPbx/triggers/runtime/requests.ts',
		],
		rules: {
			'no-restricted-syntax': [
				'error',
				{
					selector:
						'CallExpression[callee.property.name=/^(httpRequest|httpRequestWithAuthentication|request|requestWithAuthentication)$/], CallExpression[callee.name=/^(fetch|httpRequest)$/]',
					message:
						'Only parameters/credential.ts and triggers/runtime/requests.ts talk to the network.',
				},
				{
					selector:
						'CallExpression[callee.property.name="getNodeParameter"]:matches([arguments.length=1], [arguments.length=2]:matches([arguments.1.name=/index$/i], [arguments.1.property.name="itemIndex"], [arguments.1.value=0]))',
					message: 'Read parameters with a fallback: n8n leaves defaults out of saved workflows.',
				},
			],
		},
	},
	{
		files: ['test/**/*.ts'],
		rules: {
			'max-lines-per-function': 'off',
			'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
		},
	},
	{
		files: ['test/**/*.ts'],
		ignores: ['test/support/unless.ts'],
		rules: {
			'no-restricted-properties': [
				'error',
				...['it', 'test', 'describe'].map((object) => ({
					object,
					property: 'skip',
					message: 'Use unless() of test/support, which reports why a check doesn’t run.',
				})),
			],
		},
	},
);
