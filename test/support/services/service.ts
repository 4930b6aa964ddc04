import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Exchange, OfficialRoutes, Recording } from '../official/routes';

/** A request whose response gets lost: a part of its path, or a pattern of it. */
interface Lost {
	path: string | RegExp;
	method: string;
	act?: (() => Promise<unknown>) | undefined;
}

/** An error response of a service. */
export class Refused extends Error {
	constructor(
		readonly status: number,
		readonly body: object,
	) {
		super(JSON.stringify(body));
	}
}

/** A request as its route knows it. A body that isn't JSON or text is a buffer. */
interface Asked<Body> extends Pick<FastifyRequest, 'headers'> {
	params: Record<string, string>;
	query: Record<string, string>;
	body: Body;
}

/**
 * A simulated internet service. Each one adds its routes, its check of the login, and its model. It
 * rejects unknown requests, and lists them.
 */
export class Service implements Recording {
	readonly app: FastifyInstance;
	/** Requests for unknown paths, or that it couldn't read. */
	readonly unknown: string[] = [];
	readonly official?: keyof OfficialRoutes;
	readonly exchanges = new Map<string, Exchange>();
	private fault = { status: 0, headers: {} as Record<string, string>, left: 0 };
	private readonly lost: Lost[] = [];
	private disliked: string | undefined;

	/**
	 * @param hosts names by which n8n reaches it
	 * @param isLoggedIn whether a request carries a valid login
	 */
	constructor(
		readonly hosts: string[],
		isLoggedIn: (request: FastifyRequest) => boolean,
	) {
		this.app = fastify({
			routerOptions: { maxParamLength: 500 },
			forceCloseConnections: true,
			bodyLimit: 16 * 1024 * 1024,
		});
		this.app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
		this.app.addHook('preHandler', async (request, reply) => {
			if (request.is404) return;
			if (!isLoggedIn(request)) return await reply.code(401).send(UNAUTHORIZED);
			if (this.fault.left > 0) return await this.strike(reply);
			const isDisliked =
				this.disliked && JSON.stringify(request.body ?? '').includes(this.disliked);
			if (isDisliked) return await reply.code(400).send(REFUSED);
		});
		this.app.addHook('onSend', async (request, reply, payload) => {
			if (this.official && !request.is404) this.record(request, reply.statusCode, payload);
			const { method, url } = request;
			const isLost = (one: Lost) => one.method === method && url.search(one.path) >= 0;
			const index = this.lost.findIndex(isLost);
			if (index === -1) return payload;
			const [{ act } = {}] = this.lost.splice(index, 1);
			await act?.();
			void reply.code(502);
			return '';
		});
		this.app.setNotFoundHandler((request, reply) => {
			this.unknown.push(`${request.method} ${request.hostname}${request.url}`);
			void reply.code(404).send({ message: 'The stand-in service does not have this path' });
		});
		this.app.setErrorHandler((error, request, reply) => {
			if (error instanceof Refused) return void reply.code(error.status).send(error.body);
			this.unknown.push(`${request.method} ${request.hostname}${request.url}: ${String(error)}`);
			void reply.send(error);
		});
	}

	protected on<Body = object>(
		method: HTTPMethods,
		url: string,
		answer: (asked: Asked<Body>, reply: FastifyReply) => unknown,
	): void {
		const handler = (request: unknown, reply: FastifyReply) =>
			answer(request as Asked<Body>, reply);
		this.app.route({ method, url, handler });
	}

	/** Responds to the next requests with an error status, by default to all until {@link recover}. */
	fail(status: number, { times = Infinity, headers = {} as Record<string, string> } = {}): void {
		this.fault = { status, headers, left: times };
	}

	/** Refuses all requests with this text in their bodies for good, until {@link recover}. */
	refuse(text: string): void {
		this.disliked = text;
	}

	/** Ends {@link fail} and {@link refuse}. */
	recover(): void {
		this.fault.left = 0;
		this.disliked = undefined;
	}

	/** Handles the next request with this text in its path, but responds as if it had failed, after `act`. */
	loseAnswer(path: string | RegExp, method = 'POST', act?: () => Promise<unknown>): void {
		this.lost.push({ method, path, act });
	}

	/** Notes what is JSON of a request and of its response, unless that is an error. */
	private record(request: FastifyRequest, status: number, payload: unknown): void {
		const { method, routeOptions, query, body } = request;
		const exchange: Exchange = { route: `${method} ${routeOptions.url}` };
		if (Object.keys(query as object).length > 0) exchange.query = query as object;
		if (body && !Buffer.isBuffer(body)) exchange.body = body;
		if (status < 400 && typeof payload === 'string' && payload !== '')
			exchange.response = JSON.parse(payload);
		this.exchanges.set(JSON.stringify(exchange).replace(/\d+/g, '0'), exchange);
	}

	private async strike(reply: FastifyReply): Promise<void> {
		this.fault.left -= 1;
		await reply.code(this.fault.status).headers(this.fault.headers).send({ message: 'Not now' });
	}
}

/** The words in which a service refuses a request for good. */
export const REFUSAL = 'This owner has left';
const REFUSED = { status: 'error', message: REFUSAL, error: REFUSAL, error_description: REFUSAL };

const UNAUTHORIZED = { status: 'error', category: 'INVALID_AUTHENTICATION', message: 'Who?' };

/** Whether a request carries this token as `Bearer …`. */
export const hasToken = ({ headers }: Pick<FastifyRequest, 'headers'>, token: string): boolean =>
	headers.authorization === `Bearer ${token}`;

/** Whether a request carries this login as `Basic …`. */
export const hasLogin = (
	{ headers }: Pick<FastifyRequest, 'headers'>,
	...login: string[]
): boolean => headers.authorization === `Basic ${Buffer.from(login.join(':')).toString('base64')}`;

/** The fields that a service documents for writing, by type. `any` accepts several. */
export type Fields = Partial<Record<'any' | 'boolean' | 'number' | 'object' | 'string', string[]>>;

/** Finds the first field of a body that is missing, undocumented, or of the wrong type. */
export function wrongField(
	body: object,
	fields: Fields,
	required: string[] = [],
): string | undefined {
	const given = Object.entries(body).filter(([, value]) => value !== '' && value !== undefined);
	const missing = required.find((name) => !given.some(([one]) => one === name));
	const typesOf = (value: unknown) => [
		...(fields[typeof value as 'string'] ?? []),
		...(fields.any ?? []),
	];
	return (
		missing ?? Object.entries(body).find(([name, value]) => !typesOf(value).includes(name))?.[0]
	);
}
