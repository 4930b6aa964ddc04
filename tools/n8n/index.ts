/** Runs a real n8n with our packed package installed, for the demo and the end-to-end tests. */
export { unlessBusy } from './busy';
export { N8nClient } from './client';
export { startCluster } from './cluster';
export type { Cluster, ClusterOptions } from './cluster';
export type { Role } from './environment';
export { credentialOf, inARow, makeNode, rowOf } from './flow';
export { createN8n, N8nProcess, startN8n } from './n8n-process';
export type { N8nOptions } from './n8n-process';
export { OWNER } from './owner';
export { RestError } from './rest';
export { readSetup, ROOT } from './setup-result';
export { urlOfDatabase, withPostgres } from './stores';
export { jsonOf, outputOf } from './types';
export type { Credential, Execution, ExecutionSummary, Workflow, WorkflowFile } from './types';
export { prepareUserFolder } from './user-folder';
