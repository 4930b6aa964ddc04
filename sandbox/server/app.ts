import { join } from 'node:path';
import AjvCompiler from '@fastify/ajv-compiler';
import serveStatic from '@fastify/static';
import fastify from 'fastify';
import { controlRoutes } from '../control';
import type { Exchange } from '../calls/exchange';
import { newId } from '../model/util';
import type { Pbx } from '../model/pbx';
import { pbxRoutes } from '../pbx';
import { PREFIXES } from '../pbx/versions';
import { sendError, ApiError } from './errors';
import type { App } from './types';

/** Compiles each schema once per process: tests start thousands of sandboxes. */
const buildValidator = AjvCompiler();

/** Names a plugin, so that fastify doesn't search all loaded modules for its name. */
const named = <T extends object>(name: string, part: T): T =>
	Object.assign(part, { [Symbol.for('fastify.display-name')]: name });

/** Adds the JSON parser. An empty body counts as none, so that a DELETE can have a content type. */
function parseJson(app: App): void {
	const parse = app.getDefaultJsonParser('error', 'error');
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
		if (body === '') done(null, undefined);
		else parse(request, String(body), done);
	});
}

/** Builds the HTTP server: the PBX side, the control side, and the page. It doesn't listen yet. */
export function buildApp(pbx: Pbx, exchange: Exchange): App {
	const app: App = fastify({
		logger: false,
		forceCloseConnections: true,
		// Never closes an idle connection, which a busy client could be about to use.
		keepAliveTimeout: 0,
		routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
		genReqId: () => newId(),
		schemaController: { compilersFactory: { buildValidator } },
		ajv: {
			customOptions: {
				coerceTypes: false,
				removeAdditional: false,
				allErrors: true,
				verbose: true,
			},
		},
	});
	parseJson(app);
	app.decorateRequest('account', null);
	app.decorateRequest('token', '');
	app.decorateRequest('faults', null);
	const pbxSide = named('pbx', async (inner: App) => pbxRoutes(inner, pbx, exchange));
	const controlSide = named('control', async (inner: App) => controlRoutes(inner, pbx, exchange));
	for (const prefix of PREFIXES) app.register(pbxSide, { prefix });
	app.setNotFoundHandler(async (request, reply) => {
		const isGone = pbx.settings.profile === 'kazoo' && request.url.startsWith('/v1/');
		return await sendError(request, reply, new ApiError(isGone ? 410 : 404), pbx.settings);
	});
	app.register(controlSide, { prefix: '/sandbox' });
	app.register(serveStatic, { root: join(__dirname, '../page/public'), cacheControl: false });
	return app;
}
