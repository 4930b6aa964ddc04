import type { Resource } from '../contract';
import { getCall } from './getCall.operation';
import { getMany } from './getMany.operation';
import { getManyCalls } from './getManyCalls.operation';

/** CDRs: records of calls that have ended (§2.4, §4.3). */
export const cdr: Resource = {
	value: 'cdr',
	name: 'CDR',
	description: 'Record of a call that has ended, one per leg',
	needsCredential: true,
	operations: [getCall, getMany, getManyCalls],
	defaultOperation: 'getMany',
};
