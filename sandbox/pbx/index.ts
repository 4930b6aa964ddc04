import type { FastifyRequest } from 'fastify';
import type { Exchange } from '../calls/exchange';
import type { Pbx } from '../model/pbx';
import { applyAfter, applyBefore } from '../faults/apply';
import { logRequest } from './request-log';
import { sendError, ApiError, toApiError } from '../server/errors';
import type { App } from '../server/types';
import { authenticate, authRoutes } from './auth';
import { callflowRoutes } from './callflows';
import { cdrRoutes } from './cdrs';
import { deviceRoutes } from './devices';
import { inEnvelope } from './lists';
import { recordingRoutes } from './recordings';
import { KAZOO_PREFIX, rowOf } from './versions';
import { webhookRoutes } from './webhooks';

/** The path that needs no token (§4.1). */
const OPEN = '/user_auth';

/** Checks a request's platform name and, if required, its token (§5.3). */
function admit(pbx: Pbx, request: FastifyRequest): ApiError | undefined {
	const { platform } = request.params as { platform?: string };
	const { settings } = pbx;
	const { url = request.url } = request.routeOptions;
	const isKazoo = settings.profile === 'kazoo';
	const isThere = url.startsWith(`${KAZOO_PREFIX}/`) ? isKazoo : platform === settings.platform;
	if (!isThere) return new ApiError(isKazoo ? 410 : 404);
	return rowOf(url) === OPEN ? undefined : authenticate(pbx, request);
}

/** Applies faults and logs responses. Without faults, no promise delays a response. */
function addHooks(app: App, pbx: Pbx): void {
	app.addHook('onRequest', (request, reply, done) => {
		if (pbx.faults.none) return done(admit(pbx, request));
		void applyBefore(pbx, request, reply).then((isAnswered) => {
			if (!isAnswered) done(admit(pbx, request));
		}, done);
	});
	app.addHook<unknown>('preSerialization', (request, _reply, payload, done) => {
		const isKazoo = pbx.settings.profile === 'kazoo';
		done(null, isKazoo ? inEnvelope(request, payload as Record<string, unknown>) : payload);
	});
	app.addHook('onSend', (request, reply, payload, done) => {
		const sent = applyAfter(pbx, request, reply, payload);
		logRequest(pbx, request, reply);
		done(null, sent);
	});
}

/**
 * Adds the PBX side: every row of §4 and devices, under `/v1/<platform>` and a stock Kazoo's `/v2`, with faults and the
 * request log.
 */
export function pbxRoutes(app: App, pbx: Pbx, exchange: Exchange): void {
	addHooks(app, pbx);
	app.setErrorHandler(
		async (error, request, reply) =>
			await sendError(request, reply, toApiError(error), pbx.settings),
	);
	app.setNotFoundHandler(
		async (request, reply) => await sendError(request, reply, new ApiError(404), pbx.settings),
	);
	authRoutes(app, pbx);
	callflowRoutes(app, pbx);
	cdrRoutes(app, pbx);
	deviceRoutes(app, pbx, exchange);
	recordingRoutes(app, pbx);
	webhookRoutes(app, pbx);
}
