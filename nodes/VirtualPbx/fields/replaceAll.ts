import type { INodeProperties } from 'n8n-workflow';

import { readOption } from './account';
import type { Reading } from './refusal';

/** An entry of the "Options" collection of updates. */
export const replaceAllOption: INodeProperties = {
	displayName: 'Replace All',
	name: 'replaceAll',
	type: 'boolean',
	default: false,
	description:
		'Whether to write only the fields above and drop everything else, instead of keeping what is not named',
};

/** Reads Replace All; false when the option is not added. */
export function readReplaceAll({ context, itemIndex }: Reading): boolean {
	const value = readOption(context, itemIndex, 'replaceAll');
	return value === true || value === 'true';
}
