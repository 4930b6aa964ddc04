/**
 * Runs the package's nodes in jest on n8n-core's own engine, against any base URL over real HTTP.
 *
 * - `storeCredential(data)`: a credential as n8n's database holds it; shows the stored token
 * - `runNode({type, parameters, items, credential})`: one node, its items or its error
 * - `runWorkflow({nodes})`: several nodes in a row
 * - `startTrigger({type, parameters, credential})`: a webhook trigger with its hooks and a URL that listens
 * - `makeRecordTrigger({type, parameters, credential})`: a polling trigger
 * - `testCredential(credential)`, `searchList({type, method})`: what the editor calls
 *
 * A type is `virtualPbx`, or a full name given in `types`.
 */
export { storeCredential, StoredCredential } from './credentials';
export { searchList, testCredential } from './editor';
export type { Delivery } from './listeningTrigger';
export { makeRecordTrigger, TestRecordTrigger } from './recordTrigger';
export { runNode, runWorkflow } from './run';
export type { NodeInput } from './run';
export { BOTH_WAYS, startTrigger, TestTrigger } from './trigger';
export type { TriggerInput } from './trigger';
export { makeNodeType } from './types';
export type { TestNode } from './workflow';
