import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '../model/settings';
import { inEnvelope } from '../pbx/lists';

const TITLES: Record<number, string> = {
	400: 'validation error',
	401: 'invalid credentials',
	403: 'forbidden',
	404: 'bad identifier',
	410: 'gone',
	415: 'unsupported media type',
	500: 'internal error',
};

/** An error response, with a status of §7 and details with the field's name. */
export class ApiError extends Error {
	constructor(
		readonly status: number,
		readonly data: Record<string, unknown> = {},
		message = TITLES[status] ?? 'error',
		/** Message at the top level of the body, as in failed calls of live services. */
		readonly said?: string,
	) {
		super(message);
	}
}

/** Returns the error for an unknown ID, or other reference to an item of the account. */
export const notFound = (cause: string, field = 'id'): ApiError =>
	new ApiError(404, { [field]: { not_found: { message: 'bad identifier', cause } } });

/** Throws 404 for an item of the control side that doesn't exist. */
export function missing(what: string, id: string): never {
	throw new ApiError(404, { id }, `there is no ${what} ${id}`);
}

/** Returns the error for a field's value that breaks a rule. */
export const invalid = (
	field: string,
	rule: string,
	message: string,
	more: Record<string, unknown> = {},
): ApiError => new ApiError(400, { [field]: { [rule]: { message, ...more } } });

/** Returns the token that a request carries, valid or not. Empty if there is none. */
export const sentToken = ({ headers }: FastifyRequest): string =>
	String(headers['x-auth-token'] ?? '');

/** A stock Kazoo's message about version 1 of its API. */
const GONE = 'API version 1 is not supported. Please upgrade your code to use version 2.';

/** Returns a stock Kazoo's error. */
function kazooError(request: FastifyRequest, { status, message, data }: ApiError) {
	const [found] = Object.values(data) as Array<{ not_found?: object; invalid?: object }>;
	const isNoJson = 'body' in data;
	const shown = isNoJson ? { json: { invalid: { ...found?.invalid, target: 'body' } } } : data;
	const token = isNoJson || status === 410 ? '' : sentToken(request);
	const said: Record<number, { data: object | string; message: string }> = {
		401: { data: { message: 'invalid credentials' }, message: 'invalid_credentials' },
		404: { data: { message: 'bad identifier', ...found?.not_found }, message: 'bad_identifier' },
		410: { data: GONE, message: 'gone' },
	};
	return inEnvelope(request, {
		...(Object.keys(data).length > 0 && { data: shown }),
		message,
		...said[status],
		...{ error: String(status), status: 'error' },
		...(token && { auth_token: token }),
	});
}

/** Returns an error's body. The contract leaves its shape open (§7.2): this one resembles Kazoo's. */
export function errorBody(request: FastifyRequest, error: ApiError, { profile }: Settings) {
	const { status, message, data, said } = error;
	if (profile === 'kazoo') return kazooError(request, error);
	const isFull = profile === 'field';
	const token = isFull ? sentToken(request) : request.token;
	return {
		data,
		...((said !== undefined || isFull) && { error_message: said ?? message }),
		...{ error: String(status), message, status: 'error', request_id: request.id },
		...(token && { auth_token: token }),
	};
}

type Validation = NonNullable<FastifyError['validation']>[number];

/** Returns the field of a schema error as a dotted path within `data`. */
function fieldOf({ instancePath, params }: Validation): string {
	const missing = params.missingProperty ?? params.additionalProperty;
	const path = [...instancePath.split('/').slice(1), ...(missing ? [String(missing)] : [])];
	const inside = path[0] === 'data' && path.length > 1 ? path.slice(1) : path;
	return inside.join('.') || 'body';
}

/** Turns schema errors into `{field: {rule: {message}}}`, including the allowed values of a list. */
const validationData = (errors: Validation[]): Record<string, unknown> =>
	Object.fromEntries(
		errors.map((error) => {
			const { keyword, message, params, data: value } = error as Validation & { data?: unknown };
			const { allowedValues: target } = params;
			return [
				fieldOf(error),
				{ [keyword]: { message, ...(target !== undefined && { target, value }) } },
			];
		}),
	);

/** Turns any error into a response: unreadable JSON, wrong type, failed schema, or a bug in the sandbox. */
export function toApiError(error: unknown): ApiError {
	if (error instanceof ApiError) return error;
	const { statusCode, validation, message } = error as Partial<FastifyError>;
	if (validation) return new ApiError(400, validationData(validation));
	if (statusCode !== undefined && statusCode < 500) {
		const status = statusCode === 415 ? 415 : 400;
		return new ApiError(status, { body: { invalid: { message } } });
	}
	return new ApiError(500, { internal: { message: String(message) } });
}

export const sendError = (
	request: FastifyRequest,
	reply: FastifyReply,
	error: ApiError,
	settings: Settings,
): FastifyReply => reply.code(error.status).send(errorBody(request, error, settings));
