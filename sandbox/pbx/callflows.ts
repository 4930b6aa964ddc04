import type { FastifyRequest } from 'fastify';
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
import { DELETED, listedCallflow, shownAlone } from './kazoo';
import { envelope, listed, passes, type Asked } from './lists';
import { callflowSchema, type CallflowBody } from './schemas';

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

/** An item of the list: exactly the fields of §4.2, and those that a stock Kazoo adds. */
const listItem = (callflow: Callflow, { profile }: Settings) => {
	const { id, name, numbers, patterns, featurecode } = callflow;
	const item = { id, name, numbers, patterns, featurecode };
	return profile === 'kazoo' ? listedCallflow(item, callflow) : item;
};

/** Adds the rows of §4.2, with both paths for creation (its note 2). */
export function callflowRoutes(app: App, pbx: Pbx): void {
	const all = '/accounts/:account_id/callflows';
	const one = '/accounts/:account_id/callflows/:id';
	const body = { schema: { body: callflowSchema } };

	app.get<Asked>(all, async (request) => {
		const { callflows } = accountOf(request);
		// A stock Kazoo finds only callflows with no other number.
		const isSole = pbx.settings.profile === 'kazoo' && 'filter_numbers' in request.query;
		const found = callflows
			.all()
			.filter((one) => passes(one, request) && (!isSole || one.numbers.length === 1));
		const show = (callflow: Callflow) => listItem(callflow, pbx.settings);
		return listed(pbx, request, found, { revision: callflows.revision, show });
	});

	app.get<Asked>(one, async (request) => {
		const account = accountOf(request);
		const found = find(account, request.params.id);
		const shown = shownAlone(pbx.settings, found, { metadata: {} });
		return envelope(request, shown, account.callflows.revision);
	});

	/** Stores the callflow in a body, under an ID. Returns the response. */
	const put = (request: FastifyRequest, id: string) => {
		const account = accountOf(request);
		const { data } = request.body as { data: CallflowBody };
		const callflow = makeCallflow({ account, id, settings: pbx.settings }, data);
		account.callflows.put(callflow);
		return envelope(request, shownAlone(pbx.settings, callflow), account.callflows.revision);
	};

	app.post<Asked>(one, body, async (request) =>
		put(request, find(accountOf(request), request.params.id).id),
	);

	for (const path of [all, '/callflows'])
		app.put<Asked>(path, body, async (request, reply) => {
			checkCreation(request.params.account_id, pbx.settings);
			return await reply.code(201).send(put(request, newId()));
		});

	app.delete<Asked>(one, async (request) => {
		const account = accountOf(request);
		const callflow = find(account, request.params.id);
		account.callflows.remove(callflow.id);
		const shown = shownAlone(pbx.settings, callflow, DELETED);
		return envelope(request, shown, account.callflows.revision);
	});
}
