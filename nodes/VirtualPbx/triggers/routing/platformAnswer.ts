import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { CREDENTIAL, openPbx } from '../../parameters/credential';
import { readAccountId } from '../../parameters/options';
import { triggerScope } from '../../parameters/parameter';
import { dialectOf } from '../../pbx/dialects/dialect';
import type { EncodeAnswer } from '../../pbx/dialects/dialect';
import { messageOf } from '../../pbx/errors/meanings';
import { PbxError } from '../../pbx/errors/pbxError';
import { answerOfSteps, emptyAnswer, isFlowAnswer, UNKNOWN_FORM } from '../../pbx/pivot/answer';
import type { CredentialData } from '../../pbx/session/credential';
import type { Work } from '../runtime/managedResource';
import type { DesiredConnection } from './connection';
import type { Reply } from './guardResponse';
import { holdsExpression, rawSteps } from './settings';

/** The facts of a routing request that its answer's form depends on. */
interface Waiting {
	/** Undefined if it can't be read. */
	credential: Promise<CredentialData | undefined>;
	/** When the caller must have an answer, in Unix milliseconds. */
	answerBefore: number;
	fallback: IDataObject;
}

/**
 * Returns a function that rewrites replies into the form of the credential's platform, and returns the fallback for those
 * that it can't rewrite. It never rejects, and waits for the PBX only until the caller must have an answer. Rewrites
 * the fallback at once, so that it's ready. Undefined if the node has no credential: then the form is the contract's.
 */
export function encoderFor(
	context: IWebhookFunctions,
	{ credential, answerBefore, fallback }: Waiting,
): ((reply: Reply) => Promise<Reply>) | undefined {
	if (!context.getNode().credentials?.[CREDENTIAL]) return undefined;
	const timeLeft = () => Math.max(0, answerBefore - Date.now());
	const opening = openEncoder(context, credential, timeLeft()).catch(() => undefined);
	const encodedFallback = opening.then(async (encode) => (await encode?.(fallback)) ?? fallback);
	encodedFallback.catch(() => undefined);
	return async (reply) => {
		const encode = await Promise.race([opening, sleep(timeLeft()).then(() => undefined)]);
		if (!encode) return asContract(reply, fallback);
		try {
			const isFallback = reply.answer === fallback;
			return { ...reply, answer: await (isFallback ? encodedFallback : encode(reply.answer)) };
		} catch (error) {
			const reason = joined(reply.reason, messageOf(error));
			if (reply.answer === fallback) return emptyReply(reason);
			return await encodedFallback.then(
				(answer): Reply => ({ source: 'fallback', reason, answer }),
				(failure: unknown) => emptyReply(joined(reason, `Fallback: ${messageOf(failure)}`)),
			);
		}
	};
}

/** Returns undefined if the platform takes answers in the contract's form. */
async function openEncoder(
	context: IWebhookFunctions,
	credential: Waiting['credential'],
	ms: number,
): Promise<EncodeAnswer | undefined> {
	const { answerEncoder } = dialectOf((await credential)?.dialect);
	if (!answerEncoder) return undefined;
	const pbx = await openPbx(context, { deadline: AbortSignal.timeout(ms) });
	return answerEncoder(pbx.inAccount(readAccountId(triggerScope(context))));
}

/** A flow is no answer for a PBX that expects operations. */
function asContract(reply: Reply, fallback: IDataObject): Reply {
	if (!isFlowAnswer(reply.answer)) return reply;
	return { source: 'fallback', reason: joined(reply.reason, UNKNOWN_FORM), answer: fallback };
}

function emptyReply(reason: string): Reply {
	return { source: 'fallback', reason, answer: emptyAnswer() };
}

const joined = (...reasons: string[]) => reasons.filter(Boolean).join('; ');

/**
 * Refuses a fallback with steps that the platform can't carry out, such as an extension that the account doesn't have.
 * Throws PbxError. Steps with expressions are known only during a call.
 */
export async function assertKnownTargets({ context, pbx }: Work<DesiredConnection>): Promise<void> {
	const { answerEncoder } = pbx.dialect;
	const step = rawSteps(context).filter((row) => !holdsExpression(row));
	if (!answerEncoder || step.length === 0) return;
	const { answer, problems } = answerOfSteps({ step });
	if (problems.length > 0) return;
	await answerEncoder(pbx)(answer).catch((error: unknown) => {
		throw error instanceof PbxError
			? new PbxError({ ...error.details, reason: `'Fallback' isn't valid: ${error.message}` })
			: error;
	});
}
