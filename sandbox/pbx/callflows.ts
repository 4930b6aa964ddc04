import type { Account } from '../model/account';
import { newId } from '../model/ids';
import type { Pbx } from '../model/pbx';
import { storedFlow } from '../model/flows';
import type { Settings } from '../model/settings';
import { storedNumber, type Clash } from '../model/callflows';
import type { Callflow } from '../model/types';
import { invalid, notFound } from '../server/errors';
import type { App } from '../server/types';
import { accountOf } from './auth';
import { checkCreation, checkPatterns, checkPivots } from './checks';
import { envelope } from './envelope';
import { filtersOf, passes } from './filters';
import { DELETED, listedCallflow, shownAlone } from './kazoo';
import { cut } from './paging';
import {
	accountParams,
	anyQuery,
	callflowSchema,
	itemParams,
	type CallflowBody,
	type Query,
} from './schemas';

/** Where a callflow is created: its account, its ID, and the settings. */
interface Creation {
	account: Account;
	id: string;
	settings: Settings;
}

function checkClash(clash: Clash | undefined): void {
	if (!clash) return;
	const what = clash.field === 'numbers' ? 'Number' : 'Pattern';
	const { id: other, name: title } = clash.callflow;
	const message = `${what} ${clash.value} exists in callflow ${other} ${title}`;
	throw invalid(clash.field, 'unique', message, { cause: clash.value });
}

/** Creates a callflow from a body. Throws 400 with the name of an invalid field. */
function makeCallflow({ account, id, settings }: Creation, body: CallflowBody): Callflow {
	const { name = '', numbers: sent = [], patterns = [], flow: bare, fakenumber, ...extra } = body;
	const numbers = sent.map((number) => storedNumber(number, settings));
	if (numbers.length + patterns.length === 0) {
		throw invalid('numbers', 'required', 'a callflow needs a number or a pattern');
	}
	checkPatterns(patterns);
	checkPivots(bare, settings);
	checkClash(account.callflows.clash(id, numbers, patterns));
	const featurecode = account.callflows.get(id)?.featurecode ?? false;
	const isKazoo = settings.profile === 'kazoo';
	const flow = storedFlow(bare, settings);
	const fields = { id, name, numbers, patterns, featurecode, flow };
	const fake = isKazoo && fakenumber === undefined ? {} : { fakenumber: fakenumber ?? false };
	return { ...(settings.profile !== 'contract' ? extra : {}), ...fields, ...fake };
}

function find(account: Account, id: string): Callflow {
	const callflow = account.callflows.get(id);
	if (callflow) return callflow;
	throw notFound(id);
}

/** Filters callflows (§4.2 `filter_numbers`, §4.3 `filter_<field>`). A stock Kazoo finds only those with no other number. */
function select(callflows: Callflow[], query: Query, settings: Settings): Callflow[] {
	const filters = filtersOf(query);
	const isSole = settings.profile === 'kazoo' && 'filter_numbers' in query;
	return callflows.filter(
		(callflow) => passes(callflow, filters) && (!isSole || callflow.numbers.length === 1),
	);
}

/** An item of the list: exactly the fields of §4.2, and those that a stock Kazoo adds. */
const listItem = (callflow: Callflow, { profile }: Settings) => {
	const { id, name, numbers, patterns, featurecode } = callflow;
	const item = { id, name, numbers, patterns, featurecode };
	return profile === 'kazoo' ? listedCallflow(item, callflow) : item;
};

/** Adds the rows of §4.2, with both paths for creation (its note 2). */
export function callflowRoutes(app: App, pbx: Pbx): void {
	const one = '/accounts/:account_id/callflows/:id';
	const all = '/accounts/:account_id/callflows';

	app.get(all, { schema: { params: accountParams, querystring: anyQuery } }, async (request) => {
		const { callflows } = accountOf(request, request.params.account_id);
		const found = select(callflows.all(), request.query, pbx.settings);
		const { items, notes } = cut(found, request.query, pbx.settings);
		const shown = items.map((callflow) => listItem(callflow, pbx.settings));
		return { ...envelope(request, shown, callflows.revision), ...notes };
	});

	app.get(one, { schema: { params: itemParams } }, async (request) => {
		const account = accountOf(request, request.params.account_id);
		const found = find(account, request.params.id);
		const shown = shownAlone(pbx.settings, found, { metadata: {} });
		return envelope(request, shown, account.callflows.revision);
	});

	app.post(one, { schema: { params: itemParams, body: callflowSchema } }, async (request) => {
		const account = accountOf(request, request.params.account_id);
		const { id } = find(account, request.params.id);
		const callflow = makeCallflow({ account, id, settings: pbx.settings }, request.body.data);
		account.callflows.put(callflow);
		return envelope(request, shownAlone(pbx.settings, callflow), account.callflows.revision);
	});

	app.delete(one, { schema: { params: itemParams } }, async (request) => {
		const account = accountOf(request, request.params.account_id);
		const callflow = find(account, request.params.id);
		account.callflows.remove(callflow.id);
		const shown = shownAlone(pbx.settings, callflow, DELETED);
		return envelope(request, shown, account.callflows.revision);
	});

	for (const path of [all, '/callflows']) {
		app.put(path, { schema: { body: callflowSchema } }, async (request, reply) => {
			const { account_id: id } = request.params as { account_id?: string };
			checkCreation(id, pbx.settings);
			const account = accountOf(request, id);
			const creation = { account, id: newId(), settings: pbx.settings };
			const callflow = makeCallflow(creation, request.body.data);
			account.callflows.put(callflow);
			const shown = shownAlone(pbx.settings, callflow);
			return await reply.code(201).send(envelope(request, shown, account.callflows.revision));
		});
	}
}
