import { bearerOf, Refused, Service } from './service';

/** The shared part of Google's APIs: access tokens that expire, and the address where n8n gets the next one. */
export class GoogleService extends Service {
	/** The valid access token. {@link expire} replaces it. */
	token = 'access-1';
	readonly refreshToken = 'refresh-token';

	/**
	 * @param host of the API
	 * @param isOpen matches paths that carry their own permission
	 */
	constructor(host: string, isOpen: (path: string) => boolean = () => false) {
		super(
			[host, 'oauth2.googleapis.com'],
			(request) =>
				request.url === '/token' || isOpen(request.url) || bearerOf(request) === this.token,
		);
		this.app.addContentTypeParser(
			'application/x-www-form-urlencoded',
			{ parseAs: 'buffer' },
			({ url }, body, done) =>
				done(null, url === '/token' ? Object.fromEntries(new URLSearchParams(String(body))) : body),
		);
		this.app.post('/token', ({ body }) => {
			const { grant_type, refresh_token } = body as Record<string, string>;
			if (grant_type !== 'refresh_token' || refresh_token !== this.refreshToken)
				throw new Refused(400, { error: 'invalid_grant' });
			return { access_token: this.token, token_type: 'Bearer', expires_in: 3599 };
		});
	}

	/** Expires the access token: n8n has to get a new one. */
	expire(): void {
		this.token = `access-${Number(this.token.slice('access-'.length)) + 1}`;
	}

	/** Returns the data of a signed-in n8n credential with permission for a scope. */
	credential(scope: string) {
		const oauthTokenData = {
			...{ access_token: this.token, refresh_token: this.refreshToken, token_type: 'Bearer' },
			...{ expires_in: 3599, scope: `https://www.googleapis.com/auth/${scope}` },
		};
		return { clientId: 'client', clientSecret: 'secret', oauthTokenData };
	}
}
