import fc from 'fast-check';

import { patternFault } from '../../../nodes/VirtualPbx/actions/callflow/parameters';

describe('patternFault', () => {
	it.each([
		...['^1212\\d{7}$', '^\\*98$', '^\\+?1(212|646)[0-9]{7}', '(?i:sales)|x'],
		...['(?P<code>\\d+)(?P=code)', '(?<code>\\d)(?<code>\\d)', "(?'code'\\d)", '(?>\\d+)5'],
		...['\\d++', '[[:digit:]]+', '[]abc]', '[^](]x', '\\A\\d+\\z', '\\Q*98\\E.*'],
		...['(?(1)a|b)', '(?R)?', '(*UTF8)a', '(?#a (comment)b', '(?x) a # b (', 'a{2}{3}', '[a-\\d]'],
	])('lets %s pass, which PCRE may know', (pattern) => {
		expect(patternFault(pattern)).toBeUndefined();
	});

	it.each<[reason: string, patterns: string[]]>([
		['empty', ['', '  ']],
		['Unterminated group', ['^(12$', '(?i)^1212(\\d{7}$', '(?P<n>\\d', '^(?>\\d+$']],
		['Unmatched', ['12)', '\\d++)']],
		['Unterminated character class', ['[12']],
		['Nothing to repeat', ['*98', '(+7)']],
		['out of order', ['a{3,1}', '[9-0]']],
		['\\', ['12\\']],
	])('says "%s" of %j', (reason, patterns) => {
		for (const pattern of patterns) expect(patternFault(pattern)).toContain(reason);
	});

	it('never refuses what JavaScript itself accepts, and never throws', () => {
		fc.assert(
			fc.property(fc.string(), (text) => {
				const literal = text.replace(/[^\w ]/g, '\\$&');
				if (literal.trim() !== '') expect(patternFault(literal)).toBeUndefined();
				expect(() => patternFault(text)).not.toThrow();
			}),
		);
	});
});
