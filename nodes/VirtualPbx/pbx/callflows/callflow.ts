import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../../util/json';
import { idIn } from '../documents';
import type { Pivot } from '../types';

/** A callflow (§2.2). */
export interface Callflow {
	/** Undefined if the PBX doesn't show it. */
	id: string | undefined;
	name: string | undefined;
	numbers: string[];
	patterns: string[];
	/** Undefined in a list. */
	flow: IDataObject | undefined;
	/** The response as the PBX sent it. */
	original: IDataObject;
}

/** A callflow whose flow the PBX shows. */
export interface WholeCallflow extends Callflow {
	flow: IDataObject;
}

/** The fields of a callflow to write. Undefined ones stay as they are. */
export interface CallflowInput {
	name?: string | undefined;
	numbers?: string[] | undefined;
	patterns?: string[] | undefined;
	fakenumber?: boolean | undefined;
	/** A tree of modules, or a web service that the PBX asks instead. */
	flow?: IDataObject | undefined;
	pivot?: Pivot | undefined;
}

/** Reads a callflow, from a list or in full. */
export function readCallflow(document: IDataObject): Callflow {
	const { name, numbers, patterns, flow } = document;
	const texts = (list: unknown) => [list].flat().flatMap((one) => asText(one) ?? []);
	return {
		id: idIn(document),
		name: asText(name),
		numbers: texts(numbers),
		patterns: texts(patterns),
		flow: isObject(flow) ? flow : undefined,
		original: document,
	};
}
