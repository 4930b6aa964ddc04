/** PCRE forms that JavaScript lacks, with a stand-in that keeps brackets and what follows them valid. */
const PCRE_FORMS: Array<[RegExp, string]> = [
	[/^\\Q.*?(?:\\E|$)/s, 'x'],
	[/^\\./s, '\\d'],
	[/^\(\?#[^)]*\)/, ''],
	[/^\(\*[A-Z_:=\d]*\)/, ''],
	[/^\(\?(?:R|[+-]?\d+|&\w+|P[>=]\w+|C\d*)\)/, '(?:)'],
	[/^\(\?(?:P?<(?![=!])\w+>|'\w+')/, '('],
	[/^\(\?\((?:[^()]*)\)/, '(?:'],
	[/^\(\?[a-zA-Z^-]+\)/, ''],
	[/^\(\?[a-zA-Z^-]*[:|>]/, '(?:'],
	[/^\(\?>/, '(?:'],
	[/^\[\^?\]/, '[x'],
	[/^([*+?]|\{\d*,?\d*\})(?:[*+?]|\{\d*,?\d*\})+/, '*'],
];

/**
 * Tells why a text cannot be a regular expression. PBXs use PCRE, which knows more than JavaScript, so only what is
 * wrong in both is refused (§2.2).
 *
 * @returns the reason in a few words; undefined when nothing is surely wrong
 */
export function patternFault(pattern: string): string | undefined {
	if (pattern.trim() === '') return 'it is empty';
	if (/\(\?[a-wyzA-Z^-]*x[a-zA-Z-]*[):]/.test(pattern)) return undefined;
	try {
		new RegExp(toJavaScript(pattern));
		return undefined;
	} catch (error) {
		return String((error as Error).message).replace(/^.*\/: /s, '');
	}
}

function toJavaScript(pattern: string): string {
	let result = '';
	let rest = pattern;
	while (rest !== '') {
		const form = PCRE_FORMS.map(([known, standIn]) => ({ match: known.exec(rest), standIn })).find(
			({ match }) => match,
		);
		const length = form?.match?.[0].length ?? 1;
		result += form ? form.standIn : rest[0];
		rest = rest.slice(length);
	}
	return result;
}
