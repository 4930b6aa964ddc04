/** A clock that runs ahead of the real one, by what a test has let pass. */
export interface Clock {
	pass(ms: number): void;
}

/** Sets such a clock for each test of a file or a block. The code under test reads the time from it. */
export function useClock(): Clock {
	const now = Date.now.bind(Date);
	let ahead = 0;
	let spy: jest.SpyInstance;
	beforeEach(() => {
		ahead = 0;
		spy = jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
	});
	afterEach(() => spy.mockRestore());
	return { pass: (ms) => void (ahead += ms) };
}
