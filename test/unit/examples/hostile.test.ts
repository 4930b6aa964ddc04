import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { runCode, sheetsOf } from '../../support/exampleCode';
import { ExampleTexts, listExamples, readExampleFile } from '../../support/exampleTexts';

const CALLER = '<b>|"\'&*_`[x](http://evil)=HYPERLINK("http://evil")@channel{{x}}\u202e\n@1';

/** What a model writes down of what was said. */
const SAID = '<b>|&`[x](http://evil)';

const plain = (text: string) => text.replace(/[^\p{L}\p{N} +.-]/gu, '');

/** What comes with a call, of which `text` is the caller's and `said` is a model's. */
const factsOf = (text: string, said: string): IDataObject => ({
	...{ customerNumber: text, companyNumber: text, employee: text, calledBackBy: text },
	...{ callId: text, recordingUrl: `https://pbx/a/..${text}.wav`, recordingFile: `..${text}` },
	...{
		summary: said,
		promises: said,
		text: said,
		transcript: said,
		output: null,
		error: 'Refused',
	},
	...{ at: '2026-11-20T10:00:00Z', lastMissedAt: '2026-11-20T10:00:00Z', missedCalls: 2 },
	...{ callType: 'incoming', outcome: 'answered', missed: true, talkSeconds: 5, alerts: [text] },
	// What the workflow that logs calls makes of the number, for texts.
	...{ numberText: plain(text), who: plain(text), createCallers: 'yes', neverLog: '' },
	details: {
		...{ numbers: ['16465550101'], customerName: `Tom ${text}`, legId: text },
		summary: `Incoming call answered by employee ${plain(text)}`,
	},
	// What services answer, in the forms that expressions read.
	...{
		results: [],
		tickets: [],
		_embedded: { calls: [{}], tasks: [{}], users: [] },
		user: { id: 1 },
	},
	...{
		data: Object.assign([{ id: 1, note: 'Old' }], { id: 1, items: [] }),
		body: {},
		...sheetsOf(),
	},
	...{ notes: [], lines: [], users: [], identities: [], comments: [], topics: [], people: [{}] },
	result: Object.assign([], {
		...{ result: { CONTACT: [], COMPANY: [], LEAD: [], user: [], mode: 1 }, result_error: [] },
	}),
	...{ id: 1, hours: { friday: '09:00-18:00' }, holidays: [], address: 'http://pbx' },
	...{ reviewStatus: 'reviewed', contactId: '3_7', ticketUrl: 'http://crm', sheet: 'http://crm/' },
	...{ checklist: { greeted: 'x' }, timeZone: 'UTC', fewestWords: 1 },
});

/** Examples that also write calls while they ring. */
const RINGS = /^crm\/bitrix24/;

/** Examples of which no text comes from a call. */
const SILENT =
	`ask-the-pbx business-hours-and-holidays callflow-backup call-back-desk calls-to-data-table
	click-to-call live-board missed-call-text-back on-call-switch recording-link responsible-manager
	route-by-caller round-robin routing-decision routing-rehearsal talk-review-test
	webhook-health-alert services/last-month-spreadsheet
	crm/pop-up crm/amocrm crm/google-sheets`.split(/\s+/);

/** Characters that change how the text around them reads, wherever it is shown. */
const EVERYWHERE = String.raw`\p{Cc}\p{Bidi_C}`;

/** What of a text is more than text, by the rules of who shows it. */
const RULES = {
	html: String.raw`<[^>]*>?|>|&(?!#?\w+;)|[${EVERYWHERE}]`,
	/** Bitrix24 shows a description as HTML, and where it quotes one, with its own tags in brackets. */
	bitrix: String.raw`<[^>]*>?|>|&(?!#?\w+;)|[[\]${EVERYWHERE}]`,
	slack: String.raw`<(?!tel:\+?\d+\|\+?\d+>)[^>]*>?|&(?!(?:amp|lt|gt);)|[*_~${'`'}@${EVERYWHERE}]`,
	/** A target that may read HTML, Markdown, BBCode, placeholders, or formulas. */
	any: String.raw`[<>[\]{}|"*_${'`'}@=\\~${EVERYWHERE}]|&(?=#?\w+;)`,
	path: String.raw`[/\\?#<>"|\s${EVERYWHERE}]|\.\.`,
};
type Rule = keyof typeof RULES;

const RULES_OF_FIELDS: Record<string, Rule> = {
	...{ html: 'html', html_body: 'html', note: 'html', hs_call_body: 'html', DESCRIPTION: 'bitrix' },
	// Bitrix24's commands are URLs.
	'cmd[user]': 'path',
	// The words of an error, which n8n shows.
	failure: 'html',
};

/** Fields of JSON that take the number or ID itself: data that their service escapes where it shows them. */
const DATA = new Set([
	...['at', 'call', 'callId', 'customerNumber', 'companyNumber', 'employee', 'phone', 'to'],
	...['customerName', 'calledBackBy', 'legId', 'recordingFile', 'recordingUrl', 'sample'],
	...['external_id', 'id', 'uniq', 'value', 'values', 'ORIGIN_ID', 'VALUE'],
	...['from', 'from_phone_number', 'to_phone_number', 'hs_call_from_number'],
	...['hs_call_external_id', 'hs_call_to_number'],
]);

interface Text {
	name: string;
	value: unknown;
	rule: Rule;
}

type Reader = (node: INode, valueOf: (parameter: unknown) => unknown) => Text[];

const one =
	(parameter: string, rule: Rule): Reader =>
	({ parameters }, valueOf) => [{ name: parameter, value: valueOf(parameters[parameter]), rule }];

/** Lists all texts of a JSON body, by the names of their fields. */
function leavesOf(value: unknown, name = ''): Text[] {
	if (Array.isArray(value)) return value.flatMap((entry) => leavesOf(entry, name));
	if (typeof value === 'object' && value !== null)
		return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, key));
	return DATA.has(name) ? [] : [{ name, value, rule: RULES_OF_FIELDS[name] ?? 'any' }];
}

const requestTexts: Reader = ({ parameters }, valueOf) => {
	const { parameters: pairs = [] } = (parameters.bodyParameters ?? {}) as {
		parameters?: INodeParameters[];
	};
	const { jsonBody } = parameters;
	const given = jsonBody ? valueOf(jsonBody) : {};
	const body = typeof given === 'string' ? (JSON.parse(given) as object) : given;
	const fields = Object.fromEntries(pairs.map(({ name, value }) => [name, valueOf(value)]));
	return [
		{ name: 'url', value: valueOf(parameters.url), rule: 'path' },
		...leavesOf([body, fields]),
	];
};

/** Where texts of an example leave n8n, by the type of the node. */
const SINKS: Record<string, Reader> = {
	'n8n-nodes-base.slack': one('text', 'slack'),
	'n8n-nodes-base.telegram': one('text', 'html'),
	'n8n-nodes-base.twilio': one('message', 'any'),
	'n8n-nodes-base.emailSend': one('html', 'html'),
	// This node looks for expressions itself.
	'n8n-nodes-base.html': ({ parameters: { html } }, valueOf) => [
		{ name: 'html', value: valueOf(`=${String(html)}`), rule: 'html' },
	],
	'n8n-nodes-base.httpRequest': requestTexts,
	'n8n-nodes-base.pipedrive': one('name', 'any'),
	'n8n-nodes-base.awsS3': one('fileName', 'path'),
	'n8n-nodes-base.googleDrive': one('name', 'path'),
	'n8n-nodes-base.stopAndError': one('errorMessage', 'html'),
	// n8n removes markup from it.
	'n8n-nodes-base.form': one('completionMessage', 'any'),
};

/** Nodes whose texts go to n8n itself, to a model, or nowhere. */
const INSIDE = new Set(
	`aggregate code convertToFile crypto dataTable evaluation evaluationTrigger executeWorkflow
	executeWorkflowTrigger filter formTrigger if manualTrigger merge removeDuplicates
	respondToWebhook scheduleTrigger set sort splitInBatches splitOut stickyNote summarize switch
	wait webhook`
		.split(/\s+/)
		.map((name) => `n8n-nodes-base.${name}`),
);
const isInside = (type: string) =>
	/^(n8n-nodes-virtual-pbx|@n8n\/n8n-nodes-langchain)\./.test(type) || INSIDE.has(type);

function textsOf(file: string, facts: IDataObject): Array<Text & { node: string }> {
	const example = readExampleFile(file);
	const texts = new ExampleTexts(example, facts);
	return example.nodes.flatMap((node) => {
		const found = SINKS[node.type]?.(node, (value) => texts.valueOf(node, value as never)) ?? [];
		return found.map((text) => ({ ...text, node: node.name }));
	});
}

/** Returns all texts that an example sends, of a call that has ended and of one that rings. */
function sentBy(file: string, text: string, said: string) {
	const facts = factsOf(text, said);
	const ringing = RINGS.test(file) ? textsOf(file, { ...facts, outcome: 'ringing' }) : [];
	return [...textsOf(file, facts), ...ringing];
}

const markupIn = ({ value, rule }: Text): string[] =>
	(String(value ?? '').match(new RegExp(RULES[rule], 'gu')) ?? []).map((sign) =>
		sign.replace(/="[^"<]*"/g, '=""'),
	);

describe('a hostile caller', () => {
	it.each(listExamples())('brings no markup into what %s sends', (file) => {
		const calm = sentBy(file, 'calm', 'calm');
		const hostile = sentBy(file, CALLER, SAID);
		const changed = hostile.filter(
			(text, index) => String(markupIn(text)) !== String(calm[index] && markupIn(calm[index])),
		);

		expect(changed.map(({ node, name, value }) => ({ node, name, value }))).toEqual([]);
		const arrived = hostile.some(({ value }) => String(value).includes('evil'));
		expect(arrived).toBe(!SILENT.includes(file.replace('.json', '')));
	});

	it.each(['slack', 'telegram'].flatMap((name) => ['Message', 'List'].map((code) => [name, code])))(
		'makes no message of %s > %s longer than Telegram takes',
		(name = '', code = '') => {
			const details = { customerName: 'T\u{1F4DE}&'.repeat(2000), ringingSeconds: 1 };
			const at = '2026-11-26T10:00:00Z';
			const caller = { details, at, lastMissedAt: at, lastTriedAt: at, missedCalls: 12 };
			const callers = Array.from({ length: 30 }, (_, index) => ({
				...{ ...caller, callId: String(index), customerNumber: '+16465550101' },
			}));
			for (const { text } of runCode(`services/${name}.json`, code, {}, callers)) {
				const shown = String(text)
					.replace(/<[^>]*>/g, '')
					.replaceAll('&amp;', '&');
				expect(shown.length).toBeLessThanOrEqual(4096);
				expect(shown).not.toMatch(/\p{Cs}/u);
			}
		},
	);

	it('brings no formulas into sheets', () => {
		const nodes = listExamples().flatMap((file) => readExampleFile(file).nodes);
		const writers = nodes.filter(
			({ parameters, name }) =>
				parameters.nodeCredentialType === 'googleSheetsOAuth2Api' &&
				parameters.method &&
				!['Create Spreadsheet', 'Upload Recording'].includes(name),
		);
		const raw = writers.filter(({ parameters }) =>
			/\?valueInputOption=RAW$/.test(`${parameters.url}`),
		);

		expect(raw).toHaveLength(3);
		expect(writers).toEqual(raw);
	});

	it('meets no kind of node whose rules nobody has looked up', () => {
		const types = listExamples().flatMap((file) =>
			readExampleFile(file).nodes.map(({ type }) => type),
		);
		const unknown = types.filter((type) => !SINKS[type] && !isInside(type));

		expect(unknown).toEqual([]);
	});
});
