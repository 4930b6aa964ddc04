import type { Dialect } from '../types';
import { contract } from './contract';
import { kazoo } from './kazoo';

const DIALECTS: Record<string, Dialect> = { contract, kazoo };

/** Returns the platform that a credential chooses. Credentials saved before there was a choice have none. */
export function dialectOf(chosen: unknown): Dialect {
	const name = String(chosen ?? '');
	return (Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined) ?? contract;
}
