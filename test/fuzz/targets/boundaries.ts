import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { IDataObject, INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import {
	addedValues,
	defineJson,
	defineText,
	defineTextList,
} from '../../../nodes/VirtualPbx/parameters/parameter';
import type { Parameter } from '../../../nodes/VirtualPbx/parameters/parameter';
import {
	readCredential,
	openToken,
	sealToken,
	mayReceiveToken,
} from '../../../nodes/VirtualPbx/pbx/credential';
import * as errors from '../../../nodes/VirtualPbx/pbx/errors/failures';
import {
	errorOfThrown,
	holdsNothing,
	listIn,
	loginField,
	unwrap,
} from '../../../nodes/VirtualPbx/pbx/errors/failures';
import { meaningOf } from '../../../nodes/VirtualPbx/pbx/errors/meanings';
import { AuthError } from '../../../nodes/VirtualPbx/pbx/errors/pbxError';
import { retryDelay } from '../../../nodes/VirtualPbx/pbx/request';
import { brokenText, json, object, corrupted, text, withText } from '../hostile';
import { isJson, onlyThrows, target } from '../target';

const LOGIN = { login: 'demo', password: 'planted-secret', realm: 'r', platform: 'pbx' };
const BASE = { baseUrl: 'https://pbx.example.com', ...LOGIN, recordingHosts: 'rec.example:8443' };
const ALLOWED = ['https://pbx.example.com', 'https://rec.example:8443'];
const origins = fc.constantFrom(...ALLOWED);
const NODE: INode = {
	id: '1',
	name: 'Node',
	type: 't',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
const PLACE = { context: { getNode: () => NODE }, itemIndex: 0 };
const FIELD = { displayName: 'Field', name: 'field', type: 'string', default: '' } as const;

/** Reads credentials, the PBX's responses, errors, and parameters. */
export const boundaryTargets = [
	target('credentials', withText(corrupted(fc.constant(BASE))), (data) => {
		try {
			const credential = readCredential(data as never);
			assert.ok(URL.canParse(credential.baseUrl) && !credential.baseUrl.endsWith('/'));
			const authToken = sealToken('a token', credential);
			credential.webhookSecret ||= 'stored';
			assert.equal(openToken({ ...credential, authToken }), 'a token');
			const other = { ...credential, authToken, password: `${credential.password}x` };
			assert.equal(openToken(other), undefined, 'A token of another login is used');
		} catch (error) {
			assert.ok(error instanceof AuthError, String(error));
			assert.ok(!error.message.includes('planted-secret'));
		}
	}),
	target(
		'URLs that receive the token',
		fc.oneof(
			text,
			fc.webUrl(),
			fc.tuple(origins, text).map((parts) => parts.join('')),
			fc.tuple(text, origins).map((parts) => parts.join('')),
		),
		(address) => {
			const isAllowed = URL.canParse(address) && ALLOWED.includes(new URL(address).origin);
			assert.equal(mayReceiveToken(address, readCredential(BASE)), isAllowed);
		},
	),
	target(
		'responses of the PBX',
		fc.tuple(
			json(['data', 'errors', 'status', 'message', 'request_id', 'auth_token']),
			fc.integer({ min: 100, max: 999 }),
			text,
			fc.boolean(),
		),
		([body, statusCode, retryAfter, isList]) => {
			const list = listIn(body);
			if (holdsNothing(body)) assert.equal(list, undefined);
			assert.ok(list === undefined || Array.isArray(list));
			assert.equal(typeof (loginField(unwrap(body), 'auth_token') ?? ''), 'string');
			const response = { statusCode, headers: { 'retry-after': retryAfter }, body };
			const failure = errors.errorOfResponse(response as never);
			assert.ok(failure.message !== '' && meaningOf(statusCode).hint !== '');
			assert.ok((retryDelay(failure, 'GET', 1) ?? 0) >= 0);
			assert.notEqual(errors.errorOfContent(response as never, isList)?.message, '');
		},
	),
	target(
		'errors of requests',
		fc.tuple(
			withText(corrupted(fc.constant({ code: 'X', httpCode: '500', response: { status: 500 } }))),
			text,
		),
		([properties, message]) => {
			const error = new Error(message, { cause: new Error(message) });
			Object.defineProperties(error, Object.getOwnPropertyDescriptors(properties));
			assert.ok(errorOfThrown(error, 'pbx.example.com').message !== '');
		},
	),
	target('parameters', withText(fc.oneof(json(), brokenText(object()), text)), (value) => {
		const given = addedValues(PLACE, { field: value } as IDataObject);
		const read = <T>(parameter: Parameter<T>) =>
			onlyThrows(NodeOperationError, () => parameter.readIfAdded(given));
		assert.notEqual(read(defineText(FIELD)), '');
		const list = read(defineTextList({ ...FIELD, separator: /[,\n]/ }));
		assert.ok(list === undefined || list.every((entry) => entry !== ''));
		isJson(read(defineJson(FIELD)) ?? null);
	}),
];
