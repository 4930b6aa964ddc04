import type { Resource } from '../contract';
import { get } from './get.operation';

/** The account that the login belongs to (§5). */
export const account: Resource = {
	value: 'account',
	name: 'Account',
	description: 'Account and user of the credential',
	needsCredential: true,
	operations: [get],
	defaultOperation: 'get',
};
