/** The account that demo and tests sign in with: a local n8n only, so it is no secret. */
export const OWNER = { email: 'owner@example.com', password: 'Virtual-PBX-1' };

/** bcrypt of the password above; n8n takes only a hash from its environment. */
const PASSWORD_HASH = '$2a$10$C9P8iM/dlropOy/ObGr0C.UhLaCILg/QsG7OKuQKFhJXjhcmQXoqG';

/** Settings that make n8n create this owner at its first start. */
export const OWNER_ENVIRONMENT = {
	N8N_INSTANCE_OWNER_MANAGED_BY_ENV: 'true',
	N8N_INSTANCE_OWNER_EMAIL: OWNER.email,
	N8N_INSTANCE_OWNER_FIRST_NAME: 'Olga',
	N8N_INSTANCE_OWNER_LAST_NAME: 'Owner',
	N8N_INSTANCE_OWNER_PASSWORD_HASH: PASSWORD_HASH,
};
