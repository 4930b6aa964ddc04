import type { IHookFunctions } from 'n8n-workflow';

/** What n8n did with the webhook of one address in this process. */
interface Place {
	/** Ends with the last method that changes something at the PBX. */
	last: Promise<unknown>;
	removals: number;
}

const places = new Map<string | undefined, Place>();

/** By an activation's static data, which no other activation has: the removals when it began. */
const begun = new WeakMap<object, number>();

/**
 * Runs one of n8n's webhook methods so that the last wish of a user holds, whatever overlaps: n8n starts workflows
 * while people deactivate them already. Creating and deleting go one after the other, and an activation that was
 * overtaken by a deactivation creates nothing any more.
 *
 * @param step n8n's name of the method
 * @returns what the method returns; true for an activation that was overtaken
 * @throws what the method throws
 */
export async function inTurn(
	context: IHookFunctions,
	step: 'checkExists' | 'create' | 'delete',
	method: (this: IHookFunctions) => Promise<boolean>,
): Promise<boolean> {
	const url = context.getNodeWebhookUrl('default');
	const place = places.get(url) ?? { last: Promise.resolve(), removals: 0 };
	places.set(url, place);
	const activation = context.getWorkflowStaticData('node');
	if (step === 'checkExists') {
		begun.set(activation, place.removals);
		return await method.call(context);
	}
	if (step === 'delete') place.removals++;
	const turn = place.last.then(async () => {
		const isOvertaken = (begun.get(activation) ?? place.removals) !== place.removals;
		return (step === 'create' && isOvertaken) || (await method.call(context));
	});
	place.last = turn.catch(() => undefined);
	return await turn;
}
