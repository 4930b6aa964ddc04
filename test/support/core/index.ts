/** Runs the package's nodes in jest on n8n-core's own engine, against any base URL over real HTTP. */
export { storeCredential, StoredCredential } from './credentials';
export { searchList, testCredential } from './editor';
export type { Delivery } from './trigger';
export { makeRecordTrigger, TestRecordTrigger } from './recordTrigger';
export { runNode, runWorkflow } from './run';
export type { NodeInput } from './run';
export { BOTH_WAYS, startTrigger, TestTrigger } from './trigger';
export type { TriggerInput } from './trigger';
export { makeNodeType } from './types';
export type { TestNode } from './workflow';
