import type { Resource } from '../contract';
import { download } from './download.operation';

/** Recordings of calls (§2.4). */
export const recording: Resource = {
	value: 'recording',
	name: 'Recording',
	description: 'Audio recording of a call',
	needsCredential: true,
	operations: [download],
	defaultOperation: 'download',
};
