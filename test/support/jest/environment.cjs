const { TestEnvironment } = require('jest-environment-node');

/** The symbols that Jest's own modules leave in the global object for the tests of one file. */
const OF_A_FILE = ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL'].map((name) => Symbol.for(name));

let kept;

/**
 * Node's environment, but one for all test files of a worker, so that `runtime.cjs` loads n8n and other packages once.
 * Everything that a file replaced by Jest's means, or changed in `process.env`, is as before for the next one.
 */
module.exports = class extends TestEnvironment {
	constructor(...args) {
		if (kept) return kept;
		super(...args);
		kept = this;
		const { process } = this.global;
		this.before = { env: { ...process.env }, exit: process.exit };
	}

	async teardown() {
		this.moduleMocker.restoreAllMocks();
		this.fakeTimers.useRealTimers();
		this.fakeTimersModern.useRealTimers();
		const { process } = this.global;
		const { env, exit } = this.before;
		for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
		Object.assign(process.env, env);
		process.exit = exit;
		for (const symbol of OF_A_FILE) delete this.global[symbol];
	}
};
