/** One project per slice: `npm run test:unit`, `test:contract`, `test:e2e`, …. */
const slice = (name) => ({
	displayName: name,
	testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
	testEnvironment: 'node',
	transform: {
		'^.+\\.(ts|mjs|js)$': [
			'@swc/jest',
			{ jsc: { target: 'es2022', parser: { syntax: 'typescript' } } },
		],
	},
	transformIgnorePatterns: ['/node_modules/(?!(execa|get-port|p-limit|yocto-queue|wavefile)/)'],
	modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/build', '<rootDir>/.n8n'],
	watchPathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/build', '<rootDir>/.n8n'],
});

/** The end-to-end tests share one real n8n. */
const e2e = {
	...slice('e2e'),
	globalSetup: '<rootDir>/test/support/e2e/global-setup.ts',
	globalTeardown: '<rootDir>/test/support/e2e/global-teardown.ts',
};

const CORE = [
	'agent-tool',
	'call-records',
	'examples',
	'operations',
	'routing',
	'routing-answers',
	'routing-crash',
	'trigger',
	'trigger-restart',
];

/** The core of the end-to-end tests once more, in queue mode, and what is only so there. */
const queue = {
	...slice('queue'),
	testMatch: [
		'<rootDir>/test/queue/**/*.test.ts',
		...CORE.map((name) => `<rootDir>/test/e2e/${name}.test.ts`),
	],
	globalSetup: '<rootDir>/test/support/queue/global-setup.ts',
	globalTeardown: '<rootDir>/test/support/queue/global-teardown.ts',
};

module.exports = { projects: [...['unit', 'contract', 'sandbox'].map(slice), queue, e2e] };
