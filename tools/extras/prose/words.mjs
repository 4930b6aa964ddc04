/** House words, besides the published lists: habits of translated English, each with its remedy. */
const ANYWHERE = [
	['tells|told|telling', 'shows, reports, returns, or says why'],
	['whoever', 'anyone who, or the role'],
	['somebody', 'someone, or an employee'],
	['colleagues?', 'employee'],
	['in vain', 'the caller was missed, the request failed'],
	['none the worse', '“best effort”, or what happens then'],
	['also (if|by|from|when|with|without)', 'even if, including'],
	['of (yours|ours|theirs)', 'your, our, their'],
	['hidden (number|caller)s?', 'anonymous caller'],
	['(a|the|each|every|of|long|short) talks?', 'call'],
	['comes? (again|twice|back|late|as)', 'is returned again, is duplicated, is delayed'],
	['(takes|taken|took) back', 'undo, remove, close'],
	['anew', 'again'],
	['the very', 'say which, without “very”'],
	['otherwise than', 'differently from'],
	['lies? (in|on|at|beside|behind|within|where|apart)', 'is'],
	['stands? (in|at|once|twice|there|beside|behind|alone)', 'is'],
	['thereby|therein|whence|wherein', 'split the sentence'],
	['may not', 'can’t, isn’t allowed to, or might not'],
	['cannot', 'can’t'],
	['credential of (your|the|a) PBX', 'your PBX credential'],
	['login of (your|the|a) PBX', 'the PBX login'],
	['the other way (a)?round', 'and the reverse'],
	['of (the|a) workflow’s', 'the workflow’s'],
	['interface of (your|the|a) PBX', 'PBX API'],
	[
		'(this|an|one|each|every|another|real) n8n(?= ?[.,;:)]| (is|was|has|that|which|with|in|on|and|or|can|takes|to|from|as|for)\\b)',
		'your n8n instance, an n8n instance, a single n8n instance',
	],
	['(behaviour|colour|favour|centre|licence|catalogue)s?', 'the American spelling'],
	[
		'(organi|recogni|critici|normali|initiali|seriali|authori|optimi)s(e|ed|es|ing|ation)',
		'the American spelling',
	],
];

/** In pages, which speak to users. */
const IN_PAGES = [
	['we|our|ours', 'no first person: say who, or use the passive'],
	['(is|was|were|been|never|not) tried|tried (on|with|in|by)', 'tested'],
	['nobody (?!answered|picks? up|is there|talked|has called|knows)', 'anyone can, no … is needed'],
	['may (also|still|come|take|lose|send|start|arrive|ring|fail)', 'can, might'],
];

/** In comments. A docstring begins with a verb (“Returns”), or with a noun phrase for a type. */
const IN_COMMENTS = [
	['^(Tells|Says)', 'Returns whether, Reports'],
	['^(What|Whoever|That)(?= )', 'a noun phrase, or the verb first'],
	['^Gives', 'Returns, Provides, Yields'],
	['^Makes (a|an|the|one|new|items)', 'Creates, Builds'],
	['(?<!or )nobody', 'no one, “No network access”, or say what can’t happen'],
	['so (many|much|long)', 'the number, the duration, “at most n”'],
	['(strikes?|struck)', 'affects, fails'],
	['in one go', 'at once'],
];

const compile = (rows) =>
	rows.map(([pattern, instead]) => {
		const [, start, rest] = /^(\^?)(.*)$/.exec(pattern);
		// Comments and pages wrap lines anywhere.
		const words = rest.replaceAll(' ', '\\s+');
		return { pattern: new RegExp(`${start || '(?<!\\w)'}(?:${words})(?!\\w)`, 'gi'), instead };
	});

/** In the texts of nodes and example workflows. Errors name a person's answer or a receiver's, so “answer” stays. */
const IN_EDITOR = [
	['Gregorian', 'Unix seconds, or a date'],
	['legs|leg of', 'the caller, a phone, or the call'],
	['req_(timeout|format)', 'the name of the parameter'],
	['(does|did|is|are|was|were|could|has|have|would) not', 'the contraction, as elsewhere in n8n'],
	['PBX interface|interface of (your|the) PBX', 'PBX API'],
];

/** The words to avoid, by the kind of text. */
export const WORDS = {
	editor: compile([...ANYWHERE, ...IN_PAGES.slice(0, 2), ...IN_EDITOR]),
	page: compile([...ANYWHERE, ...IN_PAGES]),
	comments: compile([...ANYWHERE, ...IN_COMMENTS]),
};

/** Terms of this field that the list of plain words (retext-simplify) calls complicated. */
export const TERMS = [
	...['address', 'request', 'delete', 'interface', 'contains', 'type', 'invalid', 'parameters'],
	...['option', 'function', 'submit', 'minimum', 'maximum', 'previous', 'immediately'],
	...['additional', 'it is', 'there is', 'there are', 'all of', 'in between', 'a number of'],
	...['however', 'relative to', 'initial', 'attempt', 'effect', 'provide', 'require', 'notify'],
];
