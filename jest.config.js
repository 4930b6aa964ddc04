/** Tests that only a release needs: long runs. */
const FOR_RELEASE = ['e2e/kept', 'queue/trigger-check-main'];
const isRelease = Boolean(process.env.TEST_RELEASE);
const testPathIgnorePatterns = [
	'/node_modules/',
	...(isRelease ? [] : FOR_RELEASE.map((name) => `/test/${name}\\.test\\.ts$`)),
];

/** One project per slice: `npm run test:unit`, `test:contract`, `test:e2e`, …. */
const slice = (name, folders = [name]) => ({
	displayName: name,
	testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
	testPathIgnorePatterns,
	testEnvironment: 'node',
	transform: {
		'^.+\\.(ts|mjs|js)$': [
			'@swc/jest',
			{ jsc: { target: 'es2022', parser: { syntax: 'typescript' } } },
		],
	},
	transformIgnorePatterns: ['/node_modules/(?!markdown-table/)'],
	modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/build', '<rootDir>/.n8n'],
	watchPathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/build', '<rootDir>/.n8n'],
});

const setupFiles = ['<rootDir>/test/support/fetch.ts'];

/** The end-to-end tests share one real n8n. */
const e2e = {
	...slice('e2e'),
	setupFiles,
	globalSetup: '<rootDir>/test/support/e2e/global-setup.ts',
	globalTeardown: '<rootDir>/test/support/e2e/global-teardown.ts',
};

/** Tests that depend on how n8n publishes: they run again with legacy publishing, and on other n8n versions. */
const PUBLISHING = ['trigger', ...(isRelease ? ['restart', 'record-trigger-publishing'] : [])];
const older = {
	...e2e,
	displayName: 'older',
	testMatch: PUBLISHING.map((name) => `<rootDir>/test/e2e/${name}.test.ts`),
};

/**
 * The core of the end-to-end tests once more on the profile `kazoo` (sandbox/README.md): events, routing, and polls with
 * recordings. A release adds what test/contract/kazoo also shows, and restarts.
 */
const ON_KAZOO = [
	...['trigger', 'routing', 'call-records'],
	...(isRelease ? ['operations', 'recording-link', 'restart'] : []),
];
const kazoo = {
	...e2e,
	displayName: 'kazoo',
	testMatch: ON_KAZOO.map((name) => `<rootDir>/test/e2e/${name}.test.ts`),
	setupFilesAfterEnv: ['<rootDir>/test/support/profiles/kazoo.ts'],
};

/** Run once more in queue mode before a release; test/queue shows what is only so there. */
const CORE = [
	...['call-records', 'examples', 'examples-ai', 'examples-calls', 'operations'],
	...['routing', 'trigger', 'restart', 'recording-link'],
];

/** Run on the container images of n8n. */
const core = {
	...e2e,
	displayName: 'core',
	testMatch: [...CORE, 'every-example', 'record-trigger-publishing'].map(
		(name) => `<rootDir>/test/e2e/${name}.test.ts`,
	),
};

/** Tests of queue mode and, before a release, the core of the end-to-end tests again. */
const queue = {
	...slice('queue'),
	setupFiles,
	testMatch: [
		'<rootDir>/test/queue/**/*.test.ts',
		...(isRelease ? CORE : []).map((name) => `<rootDir>/test/e2e/${name}.test.ts`),
	],
	globalSetup: '<rootDir>/test/support/e2e/global-setup.ts',
	globalTeardown: '<rootDir>/test/support/e2e/global-teardown.ts',
};

const contract = slice('contract', ['contract', 'faults', 'fuzz']);

/** Tests of the contract that run once more on other profiles of the sandbox, most of them only before a release. */
const FIELD = [
	'record-trigger',
	...(isRelease ? ['actions/cdr', 'actions/manyCalls', 'trigger-deliveries'] : []),
];
const KAZOO = [
	...['actions/cdr', 'actions/health', 'actions/leftovers', 'actions/manyCalls'],
	...['record-trigger', 'routing-connection'],
	...['check', 'deliveries', 'lifecycle', 'ownership'].map((name) => `trigger-${name}`),
];
const onProfile = (profile, names) => ({
	...contract,
	displayName: `contract-${profile}`,
	testMatch: names.map((name) => `<rootDir>/test/contract/${name}.test.ts`),
	setupFilesAfterEnv: [`<rootDir>/test/support/profiles/${profile}.ts`],
});
const contractOnProfiles = [
	onProfile('field', FIELD),
	...(isRelease ? [onProfile('kazoo', KAZOO)] : []),
];

/** The line coverage that Home Assistant's quality scale requires, in percent: in all, and of the login's files. */
const lines = 95;

module.exports = {
	// A guard against hanging: a busy machine can take many times as long as an idle one.
	testTimeout: 300_000,
	testSequencer: '<rootDir>/test/support/sequencer.cjs',
	projects: [
		...['unit', 'sandbox', 'front-door'].map((name) => slice(name)),
		...[
			contract,
			...contractOnProfiles,
			queue,
			e2e,
			older,
			core,
			kazoo,
			{ ...slice('kits'), setupFiles },
		],
	],
	collectCoverageFrom: ['{nodes,credentials}/**/*.ts'],
	coverageReporters: [['text', { skipFull: true }], 'text-summary'],
	coverageThreshold: {
		global: { lines },
		'./nodes/VirtualPbx/pbx/login.ts': { lines },
		'./credentials/': { lines },
	},
};
