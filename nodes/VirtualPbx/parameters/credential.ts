import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import type { Pbx, PbxOptions } from '../pbx/client';
import { createClient } from '../pbx/client';
import type { HttpRequest, HttpResponse, Send } from '../pbx/http/message';

/** What a client needs of n8n; all of its contexts have it. */
export type PbxContext = Pick<IExecuteFunctions, 'getCredentials' | 'getNode' | 'logger'> & {
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequest' | 'httpRequestWithAuthentication'>;
	/** Aborts when a person stops the execution, where there is one. */
	getExecutionCancelSignal?(): AbortSignal | undefined;
};

/** n8n's name of the credential type. */
export const CREDENTIAL = 'virtualPbxApi';

/**
 * Opens the PBX for one execution: the credential is decrypted once, and every request shares it and its token. No network
 * access. Throws NodeOperationError when the node has no credential.
 */
export async function openPbx(context: PbxContext, options: PbxOptions = {}): Promise<Pbx> {
	const { helpers, logger } = context;
	// n8n puts the execution's signal in place of ours where the context has one.
	const bare = { helpers, logger, getNode: () => context.getNode() } as IExecuteFunctions;
	const signals = [context.getExecutionCancelSignal?.(), options.signal];
	return createClient({
		...options,
		signal: AbortSignal.any(signals.filter((one) => one !== undefined)),
		credential: await context.getCredentials(CREDENTIAL),
		send: senderOf(helpers.httpRequest),
		// n8n writes a new token into the data.
		sendWithToken: async (request, data) =>
			(await helpers.httpRequestWithAuthentication.call(bare, CREDENTIAL, optionsOf(request), {
				credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data: data as never },
			})) as HttpResponse,
		reload: async () => await context.getCredentials(CREDENTIAL),
	});
}

/** Makes a sender of n8n's request helper. */
export function senderOf(httpRequest: PbxContext['helpers']['httpRequest']): Send {
	return async (request) => (await httpRequest(optionsOf(request))) as HttpResponse;
}

function optionsOf(request: HttpRequest): IHttpRequestOptions {
	const { query, ignoreSslIssues, signal, timeout, ...rest } = request;
	return {
		...rest,
		...(query ? { qs: query } : {}),
		...(ignoreSslIssues ? { skipSslCertificateValidation: true } : {}),
		...(timeout === undefined ? {} : { timeout }),
		encoding: 'stream',
		returnFullResponse: true,
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		abortSignal: signal,
	};
}
