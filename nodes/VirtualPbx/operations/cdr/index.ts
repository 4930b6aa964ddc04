import type { Resource } from '../contract';
import { getMany } from './getMany.operation';

/** CDRs: records of calls that have ended (§2.4, §4.3). */
export const cdr: Resource = {
	value: 'cdr',
	name: 'Call Record (CDR)',
	description: 'Record of one leg of a call that has ended',
	needsCredential: true,
	operations: [getMany],
	defaultOperation: 'getMany',
};
