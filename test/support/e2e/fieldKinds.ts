import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { registeredNodes } from '../../../tools/docs/registered';

/** What holds other fields, shows words only, or takes no expression in the editor. */
const WITHOUT_EXPRESSION = ['collection', 'fixedCollection', 'notice', 'hidden'];

/**
 * Every kind of field that takes an expression in the editor: its type and what it lies in, such as
 * `number in collection`; with all fields of that kind, such as `virtualPbxTrigger.options.retries`.
 */
export async function fieldKinds(): Promise<Map<string, string[]>> {
	const kinds = new Map<string, string[]>();
	const add = (fields: INodeProperties[], place: string, holder?: string) => {
		for (const field of fields) {
			const path = `${place}.${field.name}`;
			const takesExpression = !WITHOUT_EXPRESSION.includes(field.type) && !field.noDataExpression;
			if (takesExpression) {
				const kind = kindOf(field, holder);
				kinds.set(kind, [...(kinds.get(kind) ?? []), path]);
			}
			if (field.type === 'collection') add(field.options as INodeProperties[], path, field.type);
			if (field.type !== 'fixedCollection') continue;
			for (const { values } of field.options as INodePropertyCollection[])
				add(values, path, field.type);
		}
	};
	for (const { description } of await registeredNodes())
		add(description.properties, description.name);
	return kinds;
}

function kindOf({ type, typeOptions }: INodeProperties, holder: string | undefined): string {
	const look = typeOptions?.rows ? `${type} of several rows` : type;
	return holder ? `${look} in ${holder}` : look;
}
