/** The account of the demo and tests. n8n is local, so the password isn't secret. */
export const OWNER = { email: 'owner@example.com', password: 'Virtual-PBX-1' };

/** The role of an n8n process: everything, or a part of queue mode. */
export type Role = 'main' | 'worker' | 'webhook';

/** The location of one n8n process. */
export interface Place {
	role: Role;
	userFolder: string;
	port: number;
	brokerPort: number;
	/** The URL at which others reach its webhooks. */
	webhookUrl: string;
}

/** The part that is the same for every n8n process. */
const SETTINGS = {
	// n8n creates this owner on its first start. It accepts only a bcrypt hash of the password.
	N8N_INSTANCE_OWNER_MANAGED_BY_ENV: 'true',
	N8N_INSTANCE_OWNER_EMAIL: OWNER.email,
	N8N_INSTANCE_OWNER_FIRST_NAME: 'Olga',
	N8N_INSTANCE_OWNER_LAST_NAME: 'Owner',
	N8N_INSTANCE_OWNER_PASSWORD_HASH: '$2a$10$C9P8iM/dlropOy/ObGr0C.UhLaCILg/QsG7OKuQKFhJXjhcmQXoqG',
	// Offline: no telemetry, version checks, templates, package lists, or surveys.
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_DISABLED_MODULES: 'mcp-registry',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	// As docs/run-at-scale.md recommends: sandboxes for expressions only when one is evaluated.
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_SECURE_COOKIE: 'false',
	N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
	N8N_LOG_LEVEL: 'info',
};

/** Starts n8n without the editor's pages, which take a third of a start's computing time. The API stays. */
export const NO_EDITOR = { N8N_DISABLE_UI: 'true' };

/** Variables of the caller that would change n8n's behavior. */
const FOREIGN = /^(N8N_|DB_|EXECUTIONS_|QUEUE_|WEBHOOK_URL$|NODE_OPTIONS$|NODE_ENV$|JEST_|npm_)/;

/** Returns the complete environment of an n8n process. `extra` overrides everything. */
export function n8nEnvironment(
	{ role, userFolder, port, brokerPort, webhookUrl }: Place,
	extra: Record<string, string> = {},
): NodeJS.ProcessEnv {
	const inherited = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
	return {
		...Object.fromEntries(inherited),
		...SETTINGS,
		// The legacy way of publishing instead of the one in the background, the default since 2.41.
		...(process.env.TEST_PUBLISHING === 'older' && {
			N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'false',
		}),
		N8N_USER_FOLDER: userFolder,
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		N8N_WEBHOOK_URL: webhookUrl,
		...(role === 'worker' && {
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(port),
		}),
		...extra,
	};
}
