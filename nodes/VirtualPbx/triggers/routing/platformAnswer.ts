import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { CREDENTIAL, openPbx } from '../../parameters/credential';
import { readAccountId } from '../../parameters/options';
import { parameterError, triggerScope } from '../../parameters/parameter';
import { dialectOf } from '../../pbx/credential';
import { messageOf } from '../../pbx/errors/meanings';
import { PbxError } from '../../pbx/errors/pbxError';
import { answerOfSteps, contractFault, emptyAnswer } from '../../pbx/pivot/answer';
import type { EncodeAnswer } from '../../pbx/pivot/kazooAnswer';
import { answerEncoder } from '../../pbx/pivot/kazooAnswer';
import type { CredentialData } from '../../pbx/types';
import type { OpenNode } from '../runtime/managed';
import type { Reply } from './guardResponse';
import type { CallflowSetup } from './parameters';
import { holdsExpression, rawSteps } from './parameters';

/** The facts of a routing request that its answer's form depends on. */
interface Waiting {
	/** Resolves with undefined if it can't be read. Undefined without one: then the form is the contract's. */
	credential: Promise<CredentialData | undefined> | undefined;
	/** Whether the node itself says that a Kazoo asks it. */
	isKazoo: boolean;
	/** When the caller must have an answer, in Unix milliseconds. */
	answerBefore: number;
	fallback: IDataObject;
}

type Encode = (reply: Reply) => Promise<Reply>;

/**
 * Returns a function that rewrites replies into the form of the credential's platform, and returns the fallback for
 * those that it can't rewrite. It never rejects, and waits for the PBX only until the caller must have an answer.
 * Rewrites the fallback at once, so that it's ready. While the platform isn't known, the reply is an error status, with
 * which any platform continues with the callflow: operations would leave a Kazoo's caller in silence.
 */
export function encoderFor(context: IWebhookFunctions, waiting: Waiting): Encode {
	const { answerBefore, fallback } = waiting;
	const timeLeft = () => Math.max(0, answerBefore - Date.now());
	const opening = openEncoder(context, waiting, timeLeft());
	const encodedFallback = opening.then(async (encode) => await encode(fallback));
	encodedFallback.catch(() => undefined);
	return async (reply) => {
		try {
			const encode = await Promise.race([opening, sleep(timeLeft()).then(() => undefined)]);
			if (!encode) return emptyReply(joined(reply.reason, UNKNOWN_PLATFORM));
			const isFallback = reply.answer === fallback;
			return { ...reply, answer: await (isFallback ? encodedFallback : encode(reply.answer)) };
		} catch (error) {
			const reason = joined(reply.reason, messageOf(error));
			if (reply.answer === fallback) return emptyReply(reason);
			return await encodedFallback.then(
				(answer): Reply => ({ source: 'fallback', reason, answer }),
				(failure: unknown) =>
					emptyReply(
						messageOf(failure) === messageOf(error)
							? reason
							: joined(reason, `Fallback: ${messageOf(failure)}`),
					),
			);
		}
	};
}

const UNKNOWN_PLATFORM =
	"The platform isn't known, because the credential can't be read, so no answer was sent";

/** Opens the encoder of the credential's platform. Rejects if the platform isn't known. */
async function openEncoder(
	context: IWebhookFunctions,
	{ credential, isKazoo }: Waiting,
	ms: number,
): Promise<EncodeAnswer> {
	const hasOwn = context.getNode().credentials?.[CREDENTIAL] !== undefined;
	if (!credential || (!isKazoo && !hasOwn)) return asContract;
	const data = await credential;
	if (data === undefined) throw new Error(UNKNOWN_PLATFORM);
	const { takesFlows } = dialectOf(data.dialect);
	if (!takesFlows && isKazoo) throw new Error(NO_KAZOO);
	if (!takesFlows) return asContract;
	const deadline = AbortSignal.timeout(ms);
	const pbx = await openPbx(context, { deadline, credential: data });
	return answerEncoder(pbx.inAccount(readAccountId(triggerScope(context))));
}

/** A flow is no answer for a PBX that expects operations. */
async function asContract(answer: IDataObject): Promise<IDataObject> {
	const fault = contractFault(answer);
	if (fault !== undefined) throw new PbxError({ kind: 'unsent', reason: fault });
	return await Promise.resolve(answer);
}

const NO_KAZOO = "'Connect' is set to Kazoo, but 'API' in the Virtual PBX credential isn't";

/** Throws NodeOperationError if the node says that a Kazoo asks it, and its credential is of another platform. */
export async function assertKazoo(context: IHookFunctions): Promise<void> {
	const { dialect } = await context.getCredentials<CredentialData>(CREDENTIAL);
	if (dialectOf(dialect).takesFlows) return;
	const remedy = "Set 'API' to 'Kazoo (/v2)' in the credential, or 'Connect' to 'Manually'.";
	throw parameterError({ context }, NO_KAZOO, remedy);
}

function emptyReply(reason: string): Reply {
	return { source: 'fallback', reason, answer: emptyAnswer() };
}

const joined = (...reasons: string[]) => reasons.filter(Boolean).join('; ');

/**
 * Refuses a fallback with steps that the platform can't carry out, such as an extension that the account doesn't have.
 * Throws PbxError. Steps with expressions are known only during a call.
 */
export async function assertKnownTargets({
	context,
	pbx,
}: Pick<OpenNode<CallflowSetup>, 'context' | 'pbx'>): Promise<void> {
	const step = rawSteps(context).filter((row) => !holdsExpression(row));
	if (step.length === 0) return;
	const { answer, problems } = answerOfSteps({ step });
	if (problems.length > 0) return;
	const encode = pbx.dialect.takesFlows ? answerEncoder(pbx) : asContract;
	await encode(answer).catch((error: unknown) => {
		throw error instanceof PbxError
			? new PbxError({ ...error.details, reason: `'Fallback' isn't valid: ${error.message}` })
			: error;
	});
}
