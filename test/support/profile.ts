import type { Settings } from '../../sandbox';

let settings: Partial<Settings> = {};

/**
 * Runs every sandbox of this test file on a profile (docs/sandbox.md), plus settings, unless a test
 * names others. Import the test files to run on that profile, and call this next to them.
 */
export function testOn(profile: Settings['profile'], named: Partial<Settings> = {}): void {
	settings = { profile, ...named };
}

/** The settings that the tests' sandboxes start with. */
export const profileSettings = (): Partial<Settings> => settings;
