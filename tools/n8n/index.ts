/** Runs a real n8n with our packed package installed, for the demo and the end-to-end tests. */
export { N8nClient } from './client';
export { startCluster } from './cluster';
export type { Cluster } from './cluster';
export { OWNER } from './environment';
export { credentialOf, inARow, makeNode, rowOf } from './flow';
export { createN8n, N8nProcess, startN8n } from './n8n-process';
export { readSetup, ROOT } from './setup-result';
export { urlOfDatabase, withPostgres } from './stores';
export { jsonOf, outputOf } from './types';
export type { Credential, Execution, ExecutionSummary, Workflow, WorkflowFile } from './types';
