/** A clock that runs ahead of the real one, by what a test has let pass. */
export interface Clock {
	pass(ms: number): void;
}

/** Sets such a clock, and a monotonic one, for each test of a file or a block. The code under test reads these. */
export function useClock(): Clock {
	const now = Date.now.bind(Date);
	const monotonic = performance.now.bind(performance);
	let ahead = 0;
	let spies: jest.SpyInstance[] = [];
	beforeEach(() => {
		ahead = 0;
		spies = [
			jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead),
			jest.spyOn(performance, 'now').mockImplementation(() => monotonic() + ahead),
		];
	});
	afterEach(() => spies.forEach((spy) => spy.mockRestore()));
	return { pass: (ms) => void (ahead += ms) };
}
