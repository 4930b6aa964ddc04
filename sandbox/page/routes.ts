import { join } from 'node:path';
import serveStatic from '@fastify/static';
import type { App } from '../server/types';

export async function pageRoutes(app: App): Promise<void> {
	await app.register(serveStatic, { root: join(__dirname, 'public'), cacheControl: false });
}
