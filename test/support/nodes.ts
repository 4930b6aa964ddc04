import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

export interface FoundProperty {
	trail: string;
	property: INodeProperties;
}

/** Lists every property, including those within collections. */
export function allProperties(properties: INodeProperties[], trail = ''): FoundProperty[] {
	return properties.flatMap((property) => {
		const place = [trail, property.name].filter(Boolean).join('.');
		return [{ trail: place, property }, ...allProperties(childrenOf(property), place)];
	});
}

function childrenOf({ type, options = [] }: INodeProperties): INodeProperties[] {
	if (type === 'collection') return options as INodeProperties[];
	if (type !== 'fixedCollection') return [];
	return (options as INodePropertyCollection[]).flatMap(({ values }) => values);
}
