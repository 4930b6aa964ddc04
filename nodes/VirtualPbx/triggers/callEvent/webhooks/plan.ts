import type { Mark } from '../../../events/secret';
import { nameOfHook } from '../../../events/table';
import type { PbxHook } from '../../../events/table';
import type { DesiredWebhooks } from './desired';
import type { ObservedWebhook } from './observed';

/** What leads from what stands at the PBX to what is desired. */
export interface Plan {
	create: Array<DesiredWebhooks['hooks'][number]>;
	/** Doubles, unhealthy ones and those of events that are not chosen. */
	remove: ObservedWebhook[];
	/** What is wrong, event by event, as the middle of a sentence; empty where nothing is to be done. */
	differences: string[];
}

/**
 * Compares: exactly one healthy webhook for each hook. Healthy is one that is enabled and has our mark, with which it was
 * registered; what else someone edits at the PBX stays.
 */
export function makePlan(
	{ hooks, showsMarks }: Pick<DesiredWebhooks, 'hooks' | 'showsMarks'>,
	observed: readonly ObservedWebhook[],
	mark: Mark,
): Plan {
	const areShown = showsMarks || observed.some((webhook) => webhook.mark !== 'unknown');
	const isHealthy = (webhook: ObservedWebhook) =>
		webhook.isHere && !webhook.isDisabled && hasMark(webhook, mark, areShown);
	const keep = hooks.flatMap(({ hook }) => {
		const healthy = observed.find((webhook) => webhook.hook === hook && isHealthy(webhook));
		return healthy ? [healthy] : [];
	});
	const create = hooks.filter(({ hook }) => !keep.some((webhook) => webhook.hook === hook));
	const remove = observed.filter((webhook) => !keep.includes(webhook));
	const missing = create.filter(({ hook }) => !observed.some((webhook) => webhook.hook === hook));
	const differences = [
		...remove.map((webhook) => whatIsWrong(webhook, keep, create)),
		...missing.map(({ hook }) => `${eventOf(hook)} was not registered`),
	];
	return { create, remove, differences: [...new Set(differences)] };
}

function hasMark({ mark }: ObservedWebhook, wanted: Mark, areShown: boolean): boolean {
	if (mark === 'unknown') return !areShown;
	if (mark === 'none') return false;
	return mark.secret === wanted.secret && mark.settings === wanted.settings;
}

function whatIsWrong(
	{ hook, isHere, isDisabled, disableReason }: ObservedWebhook,
	keep: readonly ObservedWebhook[],
	create: Plan['create'],
): string {
	const event = eventOf(hook);
	if (!isHere) return `${event} of an old test was registered`;
	if (isDisabled) return `${event} was disabled${disableReason ? ` (${disableReason})` : ''}`;
	if (keep.some((webhook) => webhook.hook === hook)) return `${event} was registered twice`;
	const isChanged = create.some((wanted) => wanted.hook === hook);
	return isChanged ? `${event} was changed` : `${event} was also registered`;
}

/** The name of a hook's event, as the editor shows it. */
export function eventOf(hook: PbxHook | undefined): string {
	return nameOfHook(hook) ?? 'an unknown event';
}
