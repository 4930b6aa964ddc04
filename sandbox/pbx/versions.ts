import type { Settings } from '../model/settings';

/** The path prefix of a stock Kazoo's API. */
export const KAZOO_PREFIX = '/v2';

/** All path prefixes of the PBX side: the contract's, and a stock Kazoo's. */
export const PREFIXES = ['/v1/:platform', KAZOO_PREFIX];

/** Returns a route's path without its prefix. */
export const rowOf = (route: string): string =>
	route.slice(PREFIXES.find((one) => route.startsWith(one))?.length);

/** Returns the path prefix that the PBX itself uses, such as in recording URLs. */
export const ownPrefix = ({ profile, platform }: Settings): string =>
	profile === 'kazoo' ? KAZOO_PREFIX : `/v1/${platform}`;
