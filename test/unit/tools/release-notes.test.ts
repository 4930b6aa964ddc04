import { releaseNotes } from '../../../tools/checks/release-notes.mjs';

const CHANGELOG = `# Changelog

## [Unreleased]

## [1.10.0] - 2026-12-01

### Added

- A node.

## [1.1.0] - 2026-11-30

### Fixed

- A leak.
`;

describe('the notes of a release', () => {
	it('are what the changelog says of the version', () => {
		expect(releaseNotes(CHANGELOG, '1.10.0')).toBe('### Added\n\n- A node.');
		expect(releaseNotes(CHANGELOG, '1.1.0')).toBe('### Fixed\n\n- A leak.');
	});

	it.each(['1.0.0', 'Unreleased'])('fail for %s, which has none', (version) => {
		expect(() => releaseNotes(CHANGELOG, version)).toThrow(`under “## [${version}]”`);
	});
});
