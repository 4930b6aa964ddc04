import type { Resource } from '../contract';
import { get } from './get.operation';
import { getMany } from './getMany.operation';
import { getMissedCallers } from './getMissedCallers.operation';

/** Calls that have ended, each made of the records of its legs (§2.4, §4.3). */
export const call: Resource = {
	value: 'call',
	name: 'Call',
	description: 'Call that has ended, with all its legs',
	needsCredential: true,
	operations: [get, getMany, getMissedCallers],
	defaultOperation: 'getMany',
};
