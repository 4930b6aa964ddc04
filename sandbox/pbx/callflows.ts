import type { Account } from '../model/account';
import { newId } from '../model/ids';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import type { Callflow, FlowNode } from '../model/types';
import { parseVoiceUrl } from '../routing/question';
import { Refusal } from '../server/errors';
import type { App } from '../server/types';
import { accountOf } from './auth';
import { envelope } from './envelope';
import { filtersOf, passes } from './filters';
import { cut, pageOf } from './paging';
import {
	accountParams,
	anyQuery,
	callflowSchema,
	itemParams,
	type CallflowBody,
	type Query,
} from './schemas';

const problem = (field: string, rule: string, message: string, cause?: string): Refusal =>
	new Refusal(400, { [field]: { [rule]: { message, ...(cause === undefined ? {} : { cause }) } } });

/** Checks the data of pivot nodes (§2.2), children included. Throws 400 naming the field. */
function checkPivots(node: FlowNode, path = 'flow'): void {
	if (node.module === 'pivot') {
		const { voice_url: url, req_timeout: timeout } = node.data;
		if (!parseVoiceUrl(url)) {
			const form = '{dflow}&callflow_id=<callflow_id>&webserver=<host_and_path_of_web_server>';
			throw problem(`${path}.data.voice_url`, 'pattern', `must have the form ${form}`);
		}
		if (timeout !== undefined && !(typeof timeout === 'string' && Number(timeout) > 0)) {
			throw problem(`${path}.data.req_timeout`, 'type', 'must be a string holding a number');
		}
	}
	for (const [key, child] of Object.entries(node.children))
		checkPivots(child, `${path}.children.${key}`);
}

function checkPatterns(patterns: string[]): void {
	for (const pattern of patterns) {
		try {
			new RegExp(pattern);
		} catch {
			throw problem('patterns', 'invalid', `${pattern} is not a regular expression`, pattern);
		}
	}
}

/** What a callflow is made for: its account and id, and the settings that it is made by. */
interface Making {
	account: Account;
	id: string;
	settings: Settings;
}

/** Makes a callflow from a body. Throws 400 naming the field when it cannot stand. */
function makeCallflow({ account, id, settings }: Making, body: CallflowBody): Callflow {
	const { name = '', numbers = [], patterns = [], flow, fakenumber = false, ...extra } = body;
	if (numbers.length + patterns.length === 0) {
		throw problem('numbers', 'required', 'a callflow needs a number or a pattern');
	}
	checkPatterns(patterns);
	checkPivots(flow);
	const clash = account.callflows.clash(id, numbers, patterns);
	if (clash) {
		const what = clash.field === 'numbers' ? 'Number' : 'Pattern';
		const { id: other, name: title } = clash.callflow;
		const message = `${what} ${clash.value} exists in callflow ${other} ${title}`;
		throw problem(clash.field, 'unique', message, clash.value);
	}
	const featurecode = account.callflows.get(id)?.featurecode ?? false;
	const fields = { id, name, numbers, patterns, featurecode, fakenumber, flow };
	return settings.extra_fields === 'keep' ? { ...extra, ...fields } : fields;
}

function find(account: Account, id: string): Callflow {
	const callflow = account.callflows.get(id);
	if (callflow) return callflow;
	throw new Refusal(404, { id: { not_found: { message: 'bad identifier', cause: id } } });
}

/** Filters callflows (§4.2 `filter_numbers`, §4.3 `filter_<field>`). */
function select(callflows: Callflow[], query: Query, settings: Settings): Callflow[] {
	const isNumbers = ({ path }: { path: string[] }) => path.join('.') === 'numbers';
	const filters = filtersOf(query).filter(
		(filter) => settings.filter_numbers !== 'ignored' || !isNumbers(filter),
	);
	const isSole = settings.filter_numbers === 'sole' && filters.some(isNumbers);
	return callflows.filter(
		(callflow) => passes(callflow, filters) && (!isSole || callflow.numbers.length === 1),
	);
}

/** An item of the list: exactly the fields of §4.2. */
const listItem = ({ id, name, numbers, patterns, featurecode }: Callflow) => ({
	id,
	name,
	numbers,
	patterns,
	featurecode,
});

/** Adds the rows of §4.2; creation by both paths of its note 2. */
export function callflowRoutes(app: App, pbx: Pbx): void {
	const one = '/accounts/:account_id/callflows/:id';
	const all = '/accounts/:account_id/callflows';

	app.get(all, { schema: { params: accountParams, querystring: anyQuery } }, async (request) => {
		const { callflows } = accountOf(request, request.params.account_id);
		const found = select(callflows.all(), request.query, pbx.settings);
		const { items, notes } = cut(found, pageOf(request, request.query, pbx.settings));
		return { ...envelope(request, items.map(listItem), callflows.revision), ...notes };
	});

	app.get(one, { schema: { params: itemParams } }, async (request) => {
		const account = accountOf(request, request.params.account_id);
		return envelope(request, find(account, request.params.id), account.callflows.revision);
	});

	app.post(one, { schema: { params: itemParams, body: callflowSchema } }, async (request) => {
		const account = accountOf(request, request.params.account_id);
		const { id } = find(account, request.params.id);
		const callflow = makeCallflow({ account, id, settings: pbx.settings }, request.body.data);
		account.callflows.put(callflow);
		return envelope(request, callflow, account.callflows.revision);
	});

	app.delete(one, { schema: { params: itemParams } }, async (request) => {
		const account = accountOf(request, request.params.account_id);
		const callflow = find(account, request.params.id);
		account.callflows.remove(callflow.id);
		return envelope(request, callflow, account.callflows.revision);
	});

	for (const path of [all, '/callflows']) {
		app.put(path, { schema: { body: callflowSchema } }, async (request, reply) => {
			const { account_id: id } = request.params as { account_id?: string };
			const account = accountOf(request, id);
			const making = { account, id: newId(), settings: pbx.settings };
			const callflow = makeCallflow(making, request.body.data);
			account.callflows.put(callflow);
			return await reply.code(201).send(envelope(request, callflow, account.callflows.revision));
		});
	}
}
