import type { IExecuteFunctions, IHttpRequestOptions, IWebhookFunctions } from 'n8n-workflow';

import type { Pbx, PbxOptions } from '../pbx/client';
import { createClient } from '../pbx/client';
import { messageOf } from '../pbx/errors/meanings';
import type { CredentialData, HttpRequest, HttpResponse, Send } from '../pbx/types';

/** The parts of n8n's contexts that a client needs. All contexts have them. */
export type PbxContext = Pick<IExecuteFunctions, 'getCredentials' | 'getNode' | 'logger'> & {
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequest' | 'httpRequestWithAuthentication'>;
	/** Aborts when a user stops the execution, if there is one. */
	getExecutionCancelSignal?(): AbortSignal | undefined;
};

export const CREDENTIAL = 'virtualPbxApi';

/**
 * Opens the PBX for one execution: decrypts the credential once, unless it is given, and all requests share it and its
 * token. No network access. Throws NodeOperationError if the node has no credential.
 */
export async function openPbx(
	context: PbxContext,
	{ credential, ...options }: PbxOptions & { credential?: CredentialData } = {},
): Promise<Pbx> {
	const { helpers, logger } = context;
	// n8n would replace our signal with the execution's if the context has one.
	const bare = { helpers, logger, getNode: () => context.getNode() } as IExecuteFunctions;
	const signals = [context.getExecutionCancelSignal?.(), options.signal];
	return createClient({
		...options,
		signal: AbortSignal.any(signals.filter((one) => one !== undefined)),
		credential: credential ?? (await context.getCredentials(CREDENTIAL)),
		send: senderOf(helpers.httpRequest),
		// n8n writes a new token into the data.
		sendWithToken: async (request, data) =>
			(await helpers.httpRequestWithAuthentication.call(bare, CREDENTIAL, optionsOf(request), {
				credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data: data as never },
			})) as HttpResponse,
		reload: async () => await context.getCredentials(CREDENTIAL),
	});
}

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

/**
 * Returns the node's credential; undefined if it has none, or if it can't be read: then no event or call is lost, but
 * numbers stay unchanged.
 */
export async function credentialFor(
	context: IWebhookFunctions,
): Promise<CredentialData | undefined> {
	if (!context.getNode().credentials?.[CREDENTIAL]) return undefined;
	try {
		return await context.getCredentials<CredentialData>(CREDENTIAL);
	} catch (error) {
		context.logger.warn(
			`${context.getNode().name}: numbers stay as they are, because the credential can't be read. ${messageOf(error)}`,
		);
		return undefined;
	}
}
