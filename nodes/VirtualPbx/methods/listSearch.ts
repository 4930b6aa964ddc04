import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { openPbx } from '../parameters/credential';
import { toNodeError } from '../parameters/nodeError';
import type { Pbx } from '../pbx/client';
import type { ListOptions } from '../pbx/documents';
import type { Callflow, Device, Employee } from '../pbx/types';
import type { Webhook } from '../pbx/webhooks/webhooks';
import { asText, isObject } from '../util/json';
import { bareNumber } from '../util/party';

/** How many entries to show at most. Users find others by typing part of the name. */
const MAX_SHOWN = 500;
const PATIENCE_MS = 30_000;

/** Lists callflows by name, number or ID for the resource locator (§4.2). */
async function searchCallflows(this: ILoadOptionsFunctions, filter?: string) {
	return await search(this, filter, callflowName, async ({ callflows }, options) => {
		return await callflows.list(options);
	});
}

/** Lists webhooks by name, event, address or ID for the resource locator (§4.4). */
async function searchWebhooks(this: ILoadOptionsFunctions, filter?: string) {
	return await search(this, filter, webhookName, async ({ webhooks }, options) => {
		return await webhooks.list(options);
	});
}

/**
 * Lists whose phones can ring: employees by name, extension, or email, with a path as the value; or devices, if the PBX
 * doesn't list employees.
 */
async function searchEmployees(this: ILoadOptionsFunctions, filter?: string) {
	return await search(this, filter, phonesName, async ({ employees }, { limit, keep }) => {
		const passes = (one: Employee | Device) => keep?.(phonesIn(one)) ?? true;
		try {
			const listed = await employees.list({ limit, keep: passes });
			return listed.filter(({ devices }) => devices.length > 0).map(phonesIn);
		} catch {
			return (await employees.devices()).filter(passes).slice(0, limit).map(phonesIn);
		}
	});
}

/** Lists employees with an extension, which is the value. */
async function searchExtensions(this: ILoadOptionsFunctions, filter?: string) {
	return await searchPeople(this, filter, ({ extension }) => extension);
}

/** Lists employees, with the user ID as the value. */
async function searchUsers(this: ILoadOptionsFunctions, filter?: string) {
	return await searchPeople(this, filter, ({ id }) => id);
}

async function searchPeople(
	context: ILoadOptionsFunctions,
	filter: string | undefined,
	valueOf: (employee: Employee) => string | undefined,
) {
	return await search(context, filter, phonesName, async ({ employees }, { limit, keep }) => {
		const valued = (one: Employee) => ({ ...phonesIn(one), id: valueOf(one) });
		const passes = (one: Employee) => valueOf(one) !== undefined && (keep?.(valued(one)) ?? true);
		return (await employees.list({ limit, keep: passes })).map(valued);
	});
}

function phonesIn(one: Employee | Device): Named & { details: string } {
	const isEmployee = 'devices' in one;
	const details = isEmployee ? [one.extension, one.email] : [one.username];
	const id = `${isEmployee ? 'users' : 'devices'}/${one.id}`;
	return { id, name: one.name, details: details.filter(Boolean).join(', ') };
}

function phonesName({ details, ...one }: Named & { details: string }): string {
	return named(one, details);
}

type Named = Pick<Callflow, 'id' | 'name'>;

async function search<T extends Named>(
	context: ILoadOptionsFunctions,
	filter = '',
	nameOf: (entry: T) => string,
	list: (pbx: Pbx, options: ListOptions<T>) => Promise<T[]>,
): Promise<INodeListSearchResult> {
	const accountId = currentAccountId(context);
	const pbx = await openPbx(context, { accountId, deadline: AbortSignal.timeout(PATIENCE_MS) });
	const words = filter.trim().toLowerCase();
	const number = bareNumber(words);
	const isNumber = /^\d+$/.test(number);
	const keep = (entry: T) => {
		if (entry.id === undefined) return false;
		const text = `${nameOf(entry)} ${entry.id}`.toLowerCase();
		return text.includes(words) || (isNumber && text.includes(number));
	};
	const found = await list(pbx, { limit: MAX_SHOWN, keep }).catch((error: unknown) => {
		throw toNodeError(context, error);
	});
	const results = found.map((entry) => ({ name: nameOf(entry), value: entry.id ?? '' }));
	return { results: results.sort((a, b) => a.name.localeCompare(b.name)) };
}

function callflowName({ numbers, patterns, ...callflow }: Callflow): string {
	return named(callflow, [...numbers, ...patterns].join(', '));
}

function webhookName({ id, name, hook, uri }: Webhook): string {
	const target = uri?.replace(/^https?:\/\//i, '').replace(/[?#].*$/s, '');
	return named({ id, name }, [hook, target].filter(Boolean).join(' → '));
}

function named({ id, name }: Named, details: string): string {
	if (name === undefined) return details || (id ?? '');
	return details ? `${name} (${details})` : name;
}

/**
 * Returns the account that the node works in; undefined, the login's own, for an expression that the editor couldn't
 * resolve.
 */
function currentAccountId(context: ILoadOptionsFunctions): string | undefined {
	const options: unknown = context.getCurrentNodeParameter('options');
	const id = isObject(options) ? asText(asText(options.accountId)?.trim()) : undefined;
	return id?.startsWith('=') ? undefined : id;
}

/** Methods that the editor calls while a user edits a node, shared by all nodes. */
export const methods = {
	listSearch: { searchCallflows, searchEmployees, searchExtensions, searchUsers, searchWebhooks },
};
