import type {
	IDisplayOptions,
	INodeParameterResourceLocator,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';

/** Longer lists are only in the editor. */
const MOST_CHOICES = 100;

/** Conditions that the heading already states. */
const UNDERSTOOD = new Set(['resource', 'operation']);

/** Returns a Markdown table of inputs. Inputs inside collections are rows of their own. */
export function inputTable(properties: INodeProperties[]): string[] {
	const rows = withoutTwins(properties)
		.filter(({ type }) => type !== 'hidden' && type !== 'notice')
		.flatMap((property) => rowsOf(property, ''));
	if (rows.length === 0) return ['No inputs.'];
	return [
		'| Input | Parameter | Kind | Default | Meaning |',
		'| --- | --- | --- | --- | --- |',
		...rows,
	];
}

function rowsOf(property: INodeProperties, within: string): string[] {
	const { displayName, name, type, options = [] } = property;
	const label = within === '' ? displayName : `${within} → ${displayName}`;
	const row = [label, code(name), kindOf(property), defaultOf(property), meaningOf(property)];
	return [
		`| ${row.map(cell).join(' | ')} |`,
		...(type === 'collection' || type === 'fixedCollection' ? nested(options, label) : []),
	];
}

function nested(options: NonNullable<INodeProperties['options']>, label: string): string[] {
	return options.flatMap((option) =>
		'values' in option
			? withoutTwins(option.values).flatMap((value) =>
					rowsOf(value, options.length > 1 ? `${label} → ${groupName(option)}` : label),
				)
			: rowsOf(option as INodeProperties, label),
	);
}

/** Drops the optional duplicate of a field, which exists for choices made by expressions. */
function withoutTwins(properties: INodeProperties[]): INodeProperties[] {
	return properties.filter(({ name, description }, index) => {
		const before = properties[index - 1];
		return before?.name !== name || before.description !== description;
	});
}

const groupName = ({ displayName, name }: INodePropertyCollection) => displayName ?? name;

function kindOf({ type, typeOptions }: INodeProperties): string {
	const kinds: Partial<Record<INodeProperties['type'], string>> = {
		string: 'text',
		options: 'choice',
		multiOptions: 'choices',
		boolean: 'switch',
		resourceLocator: 'from list or by ID',
		collection: 'optional inputs',
		fixedCollection: typeOptions?.multipleValues ? 'rows' : 'group',
		json: 'JSON',
		dateTime: 'time',
	};
	return kinds[type] ?? type;
}

function defaultOf({ default: value, type, required }: INodeProperties): string {
	if (required === true && isEmpty(value)) return 'required';
	if (isEmpty(value) || type === 'collection' || type === 'fixedCollection') return '';
	return code(typeof value === 'string' ? value : JSON.stringify(value));
}

function isEmpty(value: INodeProperties['default']): boolean {
	if (typeof value !== 'object' || value === null) return value === '' || value === null;
	return '__rl' in value || 'mode' in value
		? (value as INodeParameterResourceLocator).value === ''
		: Object.keys(value).length === 0;
}

function meaningOf(property: INodeProperties): string {
	const { description, hint, displayOptions, type, options = [] } = property;
	const choices =
		type === 'options' || type === 'multiOptions'
			? choicesOf(options as INodePropertyOptions[])
			: '';
	return [
		description,
		hint === description ? undefined : hint,
		choices,
		conditionOf(displayOptions),
	]
		.filter(Boolean)
		.map((part) => (/[.!?]$/.test(part ?? '') ? part : `${part}.`))
		.join(' ');
}

function choicesOf(options: INodePropertyOptions[]): string {
	if (options.length === 0) return '';
	if (options.length > MOST_CHOICES) return `One of ${options.length} choices`;
	return `One of: ${options.map(({ name, value }) => (name === value ? code(String(value)) : `${name} (${code(String(value))})`)).join(', ')}`;
}

function conditionOf({ show = {}, hide = {} }: IDisplayOptions = {}): string {
	const part = (conditions: NonNullable<IDisplayOptions['show']>, verb: string) =>
		Object.entries(conditions)
			.filter(([name]) => !UNDERSTOOD.has(name))
			.map(([name, values]) =>
				name === '@tool'
					? `${verb} if the node is an AI tool`
					: `${verb} if ${code(name)} is ${namesOf(values).join(' or ')}`,
			);
	return [...part(show, 'Shown'), ...part(hide, 'Hidden')].join('; ');
}

function namesOf(values: NonNullable<IDisplayOptions['show']>[string] = []): string[] {
	const plain = (values as unknown[]).filter((value) => typeof value !== 'object');
	return plain.map((value) => code(JSON.stringify(value)));
}

/** Returns text as inline code, without line breaks and backticks. */
export function code(text: string): string {
	return `\`${text.replace(/\s*\n\s*/g, ' ').replace(/`/g, "'")}\``;
}

function cell(text: string): string {
	return text.replace(/\s*\n\s*/g, ' ').replace(/\|/g, '\\|');
}
