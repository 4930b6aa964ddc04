import { control } from './api.js';
import { byId, h, pill, soft } from './dom.js';

const KINDS = { ok: 'good', failing: 'busy', 'switched off': 'bad' };

function row({ id, name, hook, uri, enabled, state, disable_reason: reason }) {
	const onclick = async () => {
		await control('PATCH', `/webhooks/${id}`, { enabled: !enabled, disable_reason: '' });
		await loadWebhooks();
	};
	return h(
		'li',
		h('div', h('strong', name), pill(state, KINDS[state]), reason && soft(reason)),
		h('div.soft.address', `${hook} → ${uri}`),
		h('button.quiet', { onclick }, enabled ? 'Disable' : 'Enable'),
	);
}

/** Shows the registered webhooks of all accounts, with the state of their latest deliveries. */
export async function loadWebhooks() {
	const { webhooks } = await control('GET', '/webhooks');
	byId('webhooks').replaceChildren(...webhooks.map(row));
	byId('no-webhooks').hidden = webhooks.length > 0;
}
