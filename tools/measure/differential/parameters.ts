import type {
	IDataObject,
	INodeProperties,
	INodePropertyCollection,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import type { Random } from './random';

/** Expressions whose values have unexpected types. */
const ODD = [
	...['undefined', 'null', '""', '0', '-1', '5', 'NaN', '1e400', 'true', 'false', '[]', '{}'],
	...[
		'[1, "2", null]',
		'{ a: { b: 1 } }',
		'"  101 "',
		'"0"',
		'"true"',
		'"a".repeat(3000)',
		'"\\u0000"',
	],
	...[
		'$json.id',
		'$json.missing',
		'$json',
		'[$json.number, 102]',
		'DateTime.now()',
		'new Date("x")',
	],
].map((code) => `={{ ${code} }}`);
const ODD_TEXTS = [
	'',
	' ',
	'0',
	'null',
	'[object Object]',
	'"',
	'../x',
	'a/b?c#d',
	'é日本🙂',
	'{{ 1 }}',
	'\n',
];
const NUMBERS = [
	...[
		'101',
		'74950000101',
		'+7 495 000-01-01',
		'8 (495) 000-01-01',
		'79990000001, 101',
		'79990000001',
	],
	...[
		'sip:101@acme.example',
		'anonymous',
		'٧٤٩٥',
		'7495*',
		'00447700900123',
		'101;102',
		'101\n102',
		'Ann',
	],
];
const URLS = [
	...[
		'https://n8n.example/webhook/x',
		'https://crm.example/in?a=1',
		'http://127.0.0.1:5678/x',
		'ftp://x',
	],
	...[
		'crm.example/path',
		'https://',
		'https://n8n.example',
		'https://user:word@crm.example/x',
		'https://pbx.example/v1/pbx/accounts/acc0123456789abcdef0123456789abcd/recorded/call_recording_c1@10.20.0.5.mp3',
	],
];
const DATES = [
	...['2026-11-19T00:00:00Z', '2026-11-20', '2026-11-18T10:00:00+03:00', '1760000000', 'yesterday'],
	...[
		'2026-11-21T00:00:00.000',
		'2027-01-01T00:00:00Z',
		'0001-01-01T00:00:00Z',
		'={{ DateTime.now() }}',
	],
];
const JSONS = [
	...[
		'{}',
		'{"a":1}',
		'{"module":"user","data":{"id":"u1"},"children":{}}',
		'[]',
		'null',
		'5',
		'{',
		'"x"',
	],
	...['{"n8n_webhook_secret":"x"}', '{"Call-ID":"x","nested":{"a":[1]}}', '{"__proto__":{"a":1}}'],
	...[
		'{"operations":[{"type":"extension","extension":101,"timeout":20}]}',
		'{"type":"play","filename":"a"}',
	],
	...[
		'{"operations":[{"type":"device"},{"type":"callflow","extension":"300"}]}',
		'={{ $json }}',
		'={{ [$json] }}',
	],
];

/** Suitable values by parameter name. Other texts don't need special ones. */
const TEXTS: Array<[RegExp, readonly string[]]> = [
	[/number|^to$|^from$|employees|extension/i, NUMBERS],
	[/url|uri|address/i, URLS],
	[/callId/, ['c1@10.20.0.5', 'c2@10.20.0.5', 'missing@10.20.0.5', 'c1', '={{ $json.callId }}']],
	[/accountId/, ['', 'acc0123456789abcdef0123456789abcd', 'other', 'a/b', '..']],
	[/patterns/, ['^\\+?7\\d+$', '^1..$\n^2..$', '[', '(a)(b']],
	[/^name$/, ['Front desk', 'hangup_cause', 'CALL_DIRECTION', 'custom.field', 'filter_x', '']],
	[/binary/i, ['data', 'file', '']],
];
const IDS = ['c1', 'c2', 'w1', 'w2', 'missing', 'a/b', '', ' c1 '];

/** Options for random values. `oddity` is from 0 to 1. */
export interface Options {
	random: Random;
	oddity: number;
	description: INodeTypeDescription;
}

/** Generates values for the parameters that the editor would show. Some keep their defaults. */
export function randomParameters(settings: Options, given: IDataObject = {}): IDataObject {
	const { random, description } = settings;
	const values: IDataObject = { ...given };
	for (const property of description.properties) {
		if (property.name in values || property.type === 'notice') continue;
		const isShown = NodeHelpers.displayParameter(
			values as never,
			property,
			{ typeVersion: 9 } as never,
			description,
		);
		if (!isShown) continue;
		const isNeeded = property.type === 'resourceLocator' || property.required;
		values[property.name] =
			isNeeded || random.chance(0.6) ? valueOf(property, settings) : (property.default as never);
	}
	return values;
}

function valueOf(property: INodeProperties, settings: Options): never {
	const { random, oddity } = settings;
	if (random.chance(oddity / 3)) return random.pick(ODD) as never;
	return (GENERATORS[property.type] ?? (() => textFor(property.name, settings)))(
		property,
		settings,
	) as never;
}

type Generator = (property: INodeProperties, settings: Options) => unknown;
const choices = ({ options = [] }: INodeProperties) =>
	options.map((one) => (one as { value: unknown }).value);

const GENERATORS: Record<string, Generator> = {
	boolean: (_property, { random }) => random.chance(0.5),
	options: (property, { random }) => random.pick(choices(property)),
	multiOptions: (property, { random }) => random.some(choices(property)),
	dateTime: (_property, { random }) => random.pick(DATES),
	json: (_property, { random }) => random.pick(JSONS),
	number: ({ typeOptions = {}, default: fallback }, { random, oddity }) => {
		const { minValue = 1, maxValue = 30 } = typeOptions;
		const odd = random.chance(oddity) ? [0, -1, 1.5, 1e9, minValue - 1, maxValue + 1, '7', ''] : [];
		return random.pick<unknown>([fallback, minValue, maxValue, 2, 3, ...odd]);
	},
	resourceLocator: ({ modes = [] }, { random }) => ({
		...{ __rl: true, mode: random.pick(modes).name, value: random.pick(IDS) },
	}),
	collection: ({ options = [] }, settings) => {
		const chosen = settings.random.some(options as INodeProperties[], 0.3);
		return Object.fromEntries(chosen.map((one) => [one.name, valueOf(one, settings)]));
	},
	fixedCollection: ({ options = [] }, settings) => {
		const [{ name, values } = { name: '', values: [] }] = options as INodePropertyCollection[];
		const row = () => Object.fromEntries(values.map((one) => [one.name, valueOf(one, settings)]));
		return { [name]: Array.from({ length: settings.random.whole(0, 3) }, row) };
	},
};

function textFor(name: string, { random, oddity }: Options): unknown {
	if (random.chance(oddity)) return random.pick(ODD_TEXTS);
	const [, fitting = ['Front desk', 'word', '5']] = TEXTS.find(([names]) => names.test(name)) ?? [];
	return random.pick(fitting);
}
