import type { Settings } from '../../sandbox';

let settings: Partial<Settings> = {};

/**
 * Runs every sandbox of this test file on a profile (docs/sandbox.md), plus settings, unless a test
 * names others. Each file in test/support/profiles calls this, for the projects of jest.config.js.
 */
export function testOn(profile: Settings['profile'], named: Partial<Settings> = {}): void {
	settings = { profile, ...named };
}

/** Returns the field of a credential that chooses the platform of a sandbox with these settings, unless it's the default. */
export const platformField = ({ profile, voice_urls: form } = settings): { dialect?: string } =>
	profile === 'kazoo' && form !== 'dflow' ? { dialect: 'kazoo' } : {};

/** Names a test as an obstacle to itself where the sandboxes of its file are a stock Kazoo, whose records have IDs. */
export const onKazoo = (): string | undefined =>
	settings.profile === 'kazoo' ? 'test/contract/kazoo shows it for a Kazoo' : undefined;

/** The kind of recordings that this file's sandboxes have. */
export const recordingKind = (): { type: string; ending: string } =>
	settings.profile === 'kazoo'
		? { type: 'audio/mpeg', ending: 'mp3' }
		: { type: 'audio/wav', ending: 'wav' };

export const profileSettings = (): Partial<Settings> => settings;
