import type { FastifyReply } from 'fastify';
import type { Exchange } from '../calls/exchange';
import type { Pbx } from '../model/pbx';
import { ApiError, toApiError } from '../server/errors';
import type { App } from '../server/types';
import { callRoutes } from './calls';
import { crmRoutes } from './crm';
import { faultRoutes } from './faults';
import { liveRoutes } from './live';
import { logRoutes } from './logs';
import { recordRoutes } from './records';
import { stateRoutes } from './state';
import { webhookControlRoutes } from './webhooks';

const respond = async (reply: FastifyReply, { status, message, data }: ApiError) =>
	await reply.code(status).send({ error: message, details: data });

/** Adds the control side under `/sandbox`: what tests, the CLI, and the page do to the PBX. */
export function controlRoutes(app: App, pbx: Pbx, exchange: Exchange): void {
	app.setErrorHandler(async (error, _request, reply) => await respond(reply, toApiError(error)));
	app.setNotFoundHandler(
		async (_request, reply) => await respond(reply, new ApiError(404, {}, 'not found')),
	);
	stateRoutes(app, pbx, exchange);
	callRoutes(app, exchange);
	logRoutes(app, pbx);
	faultRoutes(app, pbx);
	webhookControlRoutes(app, pbx, exchange);
	recordRoutes(app, pbx);
	crmRoutes(app, pbx);
	liveRoutes(app, pbx);
}
