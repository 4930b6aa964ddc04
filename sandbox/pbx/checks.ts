import type { Settings } from '../model/settings';
import { HOOKS, type FlowNode } from '../model/types';
import { readVoiceUrl } from '../routing/request';
import { invalid } from '../server/errors';
import type { WebhookBody } from './schemas';

/** A stock Kazoo's limit for `retries`. */
const MAX_RETRIES = 4;
/** The response formats of a stock Kazoo. */
const FORMATS: unknown[] = ['kazoo', 'twiml'];
const LOCAL = /^https?:\/\/(?:127\.0\.0\.1|localhost)(?=[:/?#]|$)/i;

function oneOf(field: string, value: unknown, target: readonly unknown[]): void {
	if (target.includes(value)) return;
	throw invalid(field, 'enum', 'Value not found in enumerated list of values', { target, value });
}

function checkAddress(field: string, value: string, { local_addresses: local }: Settings): void {
	if (local === 'accept' || !LOCAL.test(value)) return;
	throw invalid(field, 'error', 'invalid client URL', { value });
}

/** Checks a webhook beyond its schema, by profile (§2.5). Throws 400 with the field's name. */
export function checkWebhook(body: WebhookBody, settings: Settings): void {
	const { http_verb: verb, hook, retries, custom_data: custom = {}, uri } = body;
	checkAddress('uri', uri, settings);
	if (settings.profile !== 'kazoo') return oneOf('hook', hook, HOOKS);
	oneOf('http_verb', verb, ['get', 'post']);
	if (retries > MAX_RETRIES) {
		const more = { target: MAX_RETRIES, value: retries };
		throw invalid('retries', 'maximum', `Value must be at most ${MAX_RETRIES}`, more);
	}
	for (const [key, value] of Object.entries(custom)) {
		if (typeof value === 'string') continue;
		const more = { target: 'string', value };
		throw invalid(`custom_data.${key}`, 'type', 'Value did not match type(s): string', more);
	}
}

function checkPivot({ data }: FlowNode, path: string, settings: Settings): void {
	const { voice_url: url, req_timeout: timeout, req_format: format } = data;
	const field = `${path}.voice_url`;
	const isHttp = settings.voice_urls === 'http';
	if (!readVoiceUrl(url, settings)) {
		if (isHttp) throw invalid(field, 'error', 'invalid client URL', { value: url });
		const form = '{dflow}&callflow_id=<callflow_id>&webserver=<host_and_path_of_web_server>';
		throw invalid(field, 'pattern', `must have the form ${form}`);
	}
	if (isHttp) checkAddress(field, String(url), settings);
	if (settings.profile === 'kazoo') {
		if (format !== undefined) oneOf(`${path}.req_format`, format, FORMATS);
	} else if (timeout !== undefined && !(typeof timeout === 'string' && Number(timeout) > 0)) {
		throw invalid(`${path}.req_timeout`, 'type', 'must be a string holding a number');
	}
}

/** Checks the data of pivot nodes (§2.2), including children. Throws 400 with the field's name. */
export function checkPivots(node: FlowNode, settings: Settings, path = 'flow'): void {
	if (node.module === 'pivot') checkPivot(node, `${path}.data`, settings);
	for (const [key, child] of Object.entries(node.children))
		checkPivots(child, settings, `${path}.children.${key}`);
}

/** Checks that patterns are regular expressions (§2.2). Throws 400 with the first invalid one. */
export function checkPatterns(patterns: string[]): void {
	for (const pattern of patterns) {
		try {
			new RegExp(pattern);
		} catch {
			const message = `${pattern} is not a regular expression`;
			throw invalid('patterns', 'invalid', message, { cause: pattern });
		}
	}
}
