import type { Settings } from '../../sandbox';

let settings: Partial<Settings> = {};

/**
 * Lets every sandbox that this test file starts behave by a profile (docs/sandbox.md), with settings
 * that hold beside it, unless a test names others. Import the test files that are to run on that
 * profile, and call it beside.
 */
export function testOn(profile: Settings['profile'], named: Partial<Settings> = {}): void {
	settings = { profile, ...named };
}

/** The settings that the tests' sandboxes start with. */
export const profileSettings = (): Partial<Settings> => settings;
