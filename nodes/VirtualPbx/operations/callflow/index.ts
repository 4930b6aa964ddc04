import { callflowLocator } from '../../fields/locators';
import { CALLFLOW } from '../../transport/documents';
import type { Resource } from '../contract';
import { deleteOperation, getOperation } from '../documents';
import { create } from './create.operation';
import { getMany } from './getMany.operation';
import { update } from './update.operation';
import { upsert } from './upsert.operation';

const get = getOperation(CALLFLOW, callflowLocator, {
	description: 'Get one callflow with its flow',
	output: 'The callflow: id, name, numbers, patterns, flow, and other fields that the PBX returns',
});

/** Callflows: routing scenarios of the account (§2.2, §4.2). */
export const callflow: Resource = {
	value: 'callflow',
	name: 'Callflow',
	description: 'Rules for routing calls',
	needsCredential: true,
	operations: [create, upsert, deleteOperation(CALLFLOW, callflowLocator), get, getMany, update],
	defaultOperation: 'getMany',
};
