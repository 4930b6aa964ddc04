const WORDS = 'secret|passw|token|api[-_]?key|authorization';

/** A name whose value is a secret. */
export const SECRET_NAME = new RegExp(WORDS, 'i');

const NAME = new RegExp(`(?:${WORDS})[\\w.-]{0,64}`, 'gi');
/** Text before `secret` in the name of our own webhooks' secret. */
const OWN = /n8n[-_ .]?webhook[-_ .]?$/i;
const MAX_LEAD = 72;

const SPACE = '\\s{0,20}';
/** A quoted value, up to the same quote or the end of a truncated text. */
const QUOTED = '(?:"([^"\\\\]*(?:\\\\[^][^"\\\\]*)*)|\'([^\'\\\\]*(?:\\\\[^][^\'\\\\]*)*))';
const CLOSERS = `["'\\]]{0,3}${SPACE}`;
const LISTED = `["'](?:>>)?${SPACE},${SPACE}`;

/** The context of a name while its value is searched. */
interface Found {
	isOwn: boolean;
	/** The text before the name. */
	lead: string;
	name: string;
	value: string;
}

type Rule = [follows: RegExp, accepts: (found: Found) => boolean];

const rule = (source: string, accepts: Rule[1] = () => true): Rule => [
	new RegExp(source, 'iy'),
	accepts,
];

/** Words without a digit, as in "token: expired", aren't a secret; a digit might mean one. */
const mayBeSecret = ({ isOwn, name, value }: Found) =>
	isOwn || /\d/.test(value) || /^authorization/i.test(name);

/** How a value follows its name in decoded text. Each pattern ends with the value. */
const RULES: Rule[] = [
	// JSON, attributes, YAML, PHP: `"name": "value"`, `name="value"`, `'name' => 'value'`.
	rule(`${CLOSERS}(?:=>|[=:])${SPACE}${QUOTED}`),
	// Forms and addresses: `name=value`, `path[name]=value`.
	rule(`["'\\]]{0,3}\\s?=\\s?([^&\\s"'<>]+)`),
	// Headers: `Authorization: Basic value`.
	rule(`${CLOSERS}:${SPACE}(digest\\s[^\\r\\n]*)`),
	rule(`${CLOSERS}:${SPACE}((?:basic|bearer|token)\\s{1,4}[^\\s"'<>,;&]+)`),
	rule(`${CLOSERS}:${SPACE}([^\\s"'<>,;&{}[\\]\\\\]+)`, mayBeSecret),
	// XML: `<name>value</name>`, `<key>name</key><string>value</string>`.
	rule('(?:\\s[^<>]{0,256})?(?<!/)>\\s{0,20}(?:<!\\[CDATA\\[)?((?:(?!\\]\\]>)[^<])*)', ({ lead }) =>
		/<[\w:.-]*$/.test(lead),
	),
	rule(`${SPACE}</[\\w:.-]{1,32}>${SPACE}<[\\w:.-]{1,32}>([^<]*)`, ({ lead }) =>
		/>\s*[\w:.-]*$/.test(lead),
	),
	// A name and its value side by side: `name="name" value="value"`, `"name":"name","value":"value"`.
	rule(
		`["']?${SPACE},?${SPACE}["']?\\b(?:value|val|content|data|text)["']?${SPACE}[=:]${SPACE}(?:${QUOTED}|([^\\s"'<>,}]+))`,
	),
	// Lists: `["name","=","value"]`, `["name","value"]`, `{<<"name">>,<<"value">>}`.
	rule(`${LISTED}(?:["'][\\]=:]["']${SPACE},${SPACE}){1,3}(?:<<)?${QUOTED}`),
	rule(`${LISTED}(?:<<)?${QUOTED}(?=["'](?:>>)?${SPACE}[\\])}])`, ({ lead }) =>
		/[[({](?:<<)?["'][\w.-]*$/.test(lead),
	),
	rule(`${LISTED}(?:<<)?${QUOTED}`, ({ isOwn }) => isOwn),
	// Words: "name is value".
	rule(`["']?\\s{1,4}(?:is|was|equals)[\\s"':=]{1,4}([^\\s"'<>,;&]+)`, mayBeSecret),
	rule('[^\\w&]{1,8}([\\w.+/=~-]{8,})', ({ isOwn, value }) => isOwn && /\d/.test(value)),
];

/**
 * Finds values named like a secret in any kind of text, each as its start and end. Takes linear time: names have a
 * limited length, and the search continues after each value.
 */
export function namedValues(text: string): Array<[start: number, end: number]> {
	const found: Array<[number, number]> = [];
	NAME.lastIndex = 0;
	for (let match = NAME.exec(text); match; match = NAME.exec(text)) {
		const value = valueAfter(text, match.index, NAME.lastIndex);
		if (!value) continue;
		found.push(value);
		NAME.lastIndex = value[1];
	}
	return found;
}

function valueAfter(text: string, start: number, end: number): [number, number] | undefined {
	const lead = text.slice(Math.max(0, start - MAX_LEAD), start);
	const name = text.slice(start, end);
	const isOwn = OWN.test(lead);
	for (const [follows, accepts] of RULES) {
		follows.lastIndex = end;
		const match = follows.exec(text);
		const value = match?.slice(1).find((group) => group !== undefined) ?? '';
		if (value !== '' && accepts({ isOwn, lead, name, value }))
			return [follows.lastIndex - value.length, follows.lastIndex];
	}
	return undefined;
}
