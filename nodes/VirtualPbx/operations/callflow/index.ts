import type { Resource } from '../contract';
import { create } from './create.operation';
import { deleteCallflow } from './delete.operation';
import { get } from './get.operation';
import { getMany } from './getMany.operation';
import { update } from './update.operation';
import { upsert } from './upsert.operation';

/** Callflows: routing scenarios of the account (§2.2, §4.2). */
export const callflow: Resource = {
	value: 'callflow',
	name: 'Callflow',
	description: 'Rules for routing calls',
	needsCredential: true,
	operations: [create, upsert, deleteCallflow, get, getMany, update],
	defaultOperation: 'getMany',
};
