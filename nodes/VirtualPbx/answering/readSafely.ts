import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

/**
 * Reads a parameter while a call waits: an expression that fails is logged, and the default is used.
 */
export function readSafely(
	context: IHookFunctions | IWebhookFunctions,
	name: string,
	byDefault: unknown,
): unknown {
	try {
		return context.getNodeParameter(name, byDefault as object);
	} catch (error) {
		const words = error instanceof Error ? error.message : String(error);
		context.logger.error(
			`${context.getNode().name}: the parameter "${name}" cannot be read: ${words}`,
		);
		return byDefault;
	}
}
