/** Runs n8n with the packed package installed, for the demo and the end-to-end tests. */
export { N8nClient } from './client';
export { MODES, startInMode } from './cluster';
export type { Cluster, Mode } from './cluster';
export { queryRows, sql } from './database';
export { NO_EDITOR, OWNER } from './environment';
export { credentialOf, inARow, jsonOf, makeNode, rowOf } from './flow';
export type { Credential, Execution, Workflow, WorkflowFile } from './flow';
export { createN8n, N8nProcess, startN8n } from './n8n-process';
export { readSetup, ROOT } from './setup-result';
