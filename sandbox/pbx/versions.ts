import type { FastifyRequest } from 'fastify';
import type { Settings } from '../model/settings';

/** Where a stock Kazoo has its interface. */
export const KAZOO_PREFIX = '/v2';

/** The beginnings of all paths of the PBX side: the contract's, and a stock Kazoo's. */
export const PREFIXES = ['/v1/:platform', KAZOO_PREFIX];

/** Whether a request is for the interface of a stock Kazoo. */
export const isForKazoo = ({ routeOptions, url }: FastifyRequest): boolean =>
	(routeOptions.url ?? url).startsWith(`${KAZOO_PREFIX}/`);

/** Returns a route's path below its beginning. */
export const rowOf = (route: string): string => {
	const prefix = PREFIXES.find((one) => route.startsWith(one)) ?? '';
	return route.slice(prefix.length);
};

/** Returns the beginning of the paths that the PBX itself shows, such as in addresses of recordings. */
export const ownPrefix = ({ answers, platform }: Settings): string =>
	answers === 'kazoo' ? KAZOO_PREFIX : `/v1/${platform}`;
