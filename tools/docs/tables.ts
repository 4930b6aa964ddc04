import type {
	IDisplayOptions,
	INodeParameterResourceLocator,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';

/** Longer lists of choices appear only in the editor. */
const MAX_CHOICES = 100;
/** Longer lists of choices get their own table, shared by all inputs of the same name. */
const MAX_INLINE = 15;
/** Rows with more fields get their own table of fields. */
const MAX_ROW_FIELDS = 3;

/** Conditions that the heading already states. */
const IMPLIED = new Set(['resource', 'operation']);

const KINDS: Partial<Record<INodeProperties['type'], string>> = {
	string: 'text',
	options: 'choice',
	multiOptions: 'choices',
	boolean: 'switch',
	resourceLocator: 'from list or by ID',
	collection: 'optional inputs',
	fixedCollection: 'group',
	json: 'JSON',
	dateTime: 'time',
};

/** One row of a table of inputs: what is shown, and its label. */
interface Row {
	label: string;
	text: string;
}

/** Returns the rows of a table of inputs. Inputs inside collections get their own rows. */
export function inputRows(properties: INodeProperties[]): Row[] {
	return withoutDuplicates(properties)
		.filter(({ type }) => type !== 'hidden' && type !== 'notice')
		.flatMap((property) => rowsOf(property));
}

/** Returns a Markdown table of inputs. */
export function inputTable(rows: Row[]): string {
	return [
		'| Input | Parameter | Kind | Default | Meaning |',
		'| --- | --- | --- | --- | --- |',
		...rows.map(({ text }) => text),
	].join('\n');
}

function rowsOf(property: INodeProperties, within = '', path = ''): Row[] {
	const { displayName, name, type, options = [] } = property;
	const label = within === '' ? displayName : `${within} > ${displayName}`;
	const [heading] = rowFields(property)?.[0] ?? [];
	const link =
		heading === undefined ? '' : ` Fields of a row: [${heading}](#${anchorOf(heading)}).`;
	const meaning = `${meaningOf(property)}${link}`;
	const row = [label, code(path + name), kindOf(property), defaultOf(property), meaning];
	const isGroup = type === 'collection' || type === 'fixedCollection';
	return [
		// The rows of its inputs name a group that has no description.
		...(type === 'collection' && meaning === ''
			? []
			: [{ label, text: `| ${row.map(cell).join(' | ')} |` }]),
		...(isGroup && heading === undefined ? nested(options, label, `${path}${name}.`) : []),
	];
}

/** Returns the anchor that GitHub generates for a heading. */
export function anchorOf(heading: string): string {
	const letters = heading.toLowerCase().replace(/[^a-z0-9 -]/g, '');
	return letters.replaceAll(' ', '-');
}

/** Returns the heading and fields of an input with many fields per row; undefined for other inputs. */
export function rowFields({
	type,
	options = [],
}: INodeProperties): Array<[heading: string, fields: INodeProperties[]]> | undefined {
	const [group] = options;
	if (type !== 'fixedCollection' || !group || !('values' in group)) return undefined;
	const fields = withoutDuplicates(group.values);
	return fields.length > MAX_ROW_FIELDS ? [[groupName(group), fields]] : undefined;
}

function nested(
	options: NonNullable<INodeProperties['options']>,
	label: string,
	path: string,
): Row[] {
	return options.flatMap((option) => {
		if (!('values' in option)) return rowsOf(option as INodeProperties, label, path);
		const within = options.length > 1 ? `${label} > ${groupName(option)}` : label;
		const fields = withoutDuplicates(option.values);
		return fields.flatMap((field) => rowsOf(field, within, `${path}${option.name}.`));
	});
}

/** Drops the optional duplicate of a field, which exists for choices made by expressions. */
function withoutDuplicates(properties: INodeProperties[]): INodeProperties[] {
	return properties.filter(({ name, description }, index) => {
		const before = properties[index - 1];
		return before?.name !== name || before.description !== description;
	});
}

const kindOf = ({ type, typeOptions }: INodeProperties): string =>
	type === 'fixedCollection' && typeOptions?.multipleValues ? 'rows' : (KINDS[type] ?? type);

const groupName = ({ displayName, name }: INodePropertyCollection) => displayName ?? name;

function defaultOf({ default: value, type, required }: INodeProperties): string {
	if (isEmpty(value)) return required === true ? 'required' : '';
	if (type === 'collection' || type === 'fixedCollection') return '';
	return code(typeof value === 'string' ? value : JSON.stringify(value));
}

function isEmpty(value: INodeProperties['default']): boolean {
	if (typeof value !== 'object' || value === null) return value === '' || value === null;
	return '__rl' in value || 'mode' in value
		? (value as INodeParameterResourceLocator).value === ''
		: Object.keys(value).length === 0;
}

function meaningOf(property: INodeProperties): string {
	const { description, hint, displayOptions } = property;
	const ownHint = hint === description ? undefined : hint;
	return [description, ownHint, choicesOf(property), conditionOf(displayOptions)]
		.filter(Boolean)
		.map((part) => (/[.!?]$/.test(part ?? '') ? part : `${part}.`))
		.join(' ');
}

/** Returns the input's choices, each as its name and value in the workflow's JSON. */
export function choicesIn({ options = [] }: INodeProperties): INodePropertyOptions[] {
	return options.filter((option): option is INodePropertyOptions => 'value' in option);
}

/** Whether an input's choices get their own table. */
export function hasOwnTable(property: INodeProperties): boolean {
	const choices = choicesIn(property);
	const isNamed = choices.some(({ name, value }) => name !== value);
	return isNamed && choices.length > MAX_INLINE && choices.length <= MAX_CHOICES;
}

function choicesOf(property: INodeProperties): string {
	const choices = choicesIn(property);
	if (choices.length === 0) return '';
	if (choices.length > MAX_CHOICES) return `One of ${choices.length} choices`;
	if (hasOwnTable(property)) return `One of [these](#${anchorOf(property.displayName)})`;
	if (choices.length > MAX_INLINE) return 'One of the fields of the example, or of the raw data';
	const shown = choices.map(({ name, value }) => {
		const own = code(String(value));
		return name === value ? own : `${name} (${own})`;
	});
	return `One of: ${shown.join(', ')}`;
}

function conditionOf({ show = {}, hide = {} }: IDisplayOptions = {}): string {
	const part = (conditions: NonNullable<IDisplayOptions['show']>, verb: string) =>
		Object.entries(conditions)
			.filter(([name]) => !IMPLIED.has(name))
			.map(([name, values = []]) => {
				if (name === '@tool') return `${verb} if the node is an AI tool`;
				const plain = (values as unknown[]).filter((value) => typeof value !== 'object');
				const listed = plain.map((value) => code(JSON.stringify(value)));
				return `${verb} if ${code(name)} is ${listed.join(' or ')}`;
			});
	return [...part(show, 'Shown'), ...part(hide, 'Hidden')].join('; ');
}

const inOneLine = (text: string) => text.replace(/\s*\n\s*/g, ' ');

/** Returns text as inline code, without line breaks and backticks. */
export const code = (text: string): string => `\`${inOneLine(text).replace(/`/g, "'")}\``;

const cell = (text: string): string => inOneLine(text).replace(/\|/g, '\\|');
