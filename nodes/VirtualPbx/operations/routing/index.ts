import type { Resource } from '../contract';
import { buildAnswer } from './buildAnswer.operation';
import { respond } from './respond.operation';

/** Answers to routing requests (§2.3). */
export const routing: Resource = {
	value: 'routing',
	name: 'Routing',
	description: 'Answer to a routing request: where a live call goes',
	needsCredential: false,
	operations: [buildAnswer, respond],
	defaultOperation: 'buildAnswer',
};
