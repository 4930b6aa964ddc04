import type { Account } from '../model/account';
import { storedFlow, storedNumber } from '../model/callflows';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import type { Callflow, FlowNode } from '../model/types';
import { invalid } from '../server/errors';
import type { App } from '../server/types';
import { checkPatterns, checkPivots } from './checks';
import { documentRoutes } from './documents';
import { callflowSchema, type CallflowBody } from './schemas';

function makeCallflow(
	id: string,
	body: CallflowBody,
	{ callflows }: Account,
	settings: Settings,
): Callflow {
	const { name = '', numbers: sent = [], patterns = [], flow: bare, fakenumber, ...extra } = body;
	const numbers = sent.map((number) => storedNumber(number, settings));
	if (numbers.length + patterns.length === 0) {
		throw invalid('numbers', 'required', 'a callflow needs a number or a pattern');
	}
	checkPatterns(patterns);
	checkPivots(bare, settings);
	const clash = callflows.clash({ id, numbers, patterns });
	if (clash) {
		const { field, value: cause, callflow } = clash;
		const what = field === 'numbers' ? 'Number' : 'Pattern';
		const message = `${what} ${cause} exists in callflow ${callflow.id} ${callflow.name}`;
		throw invalid(field, 'unique', message, { cause });
	}
	const featurecode = callflows.get(id)?.featurecode ?? false;
	const flow = storedFlow(bare, settings);
	const isShort = settings.profile === 'kazoo' && fakenumber === undefined;
	return {
		...(settings.profile !== 'contract' && extra),
		...{ id, name, numbers, patterns, featurecode, flow },
		...(!isShort && { fakenumber: fakenumber ?? false }),
	};
}

const modulesIn = ({ module, children }: FlowNode): string[] => [
	...new Set([module, ...Object.values(children).flatMap(modulesIn)]),
];

/** Adds the rows of §4.2, with both paths for creation (its note 2). */
export const callflowRoutes = (app: App, pbx: Pbx): void =>
	documentRoutes<Callflow, CallflowBody>(app, pbx, {
		name: 'callflows',
		schema: callflowSchema,
		creation: ['/callflows'],
		storeOf: ({ callflows }) => callflows,
		make: makeCallflow,
		/** Exactly the fields of §4.2, and those that a stock Kazoo adds. */
		item(callflow, { profile }) {
			const { id, name, numbers, patterns, featurecode } = callflow;
			const item = { id, name, numbers, patterns, featurecode };
			if (profile !== 'kazoo') return item;
			const modules = modulesIn(callflow.flow);
			return { ...item, featurecode: featurecode && { name }, modules, flags: [] };
		},
		/** A stock Kazoo finds by `filter_numbers` only callflows with no other number. */
		isFound: ({ numbers }, { query }, { profile }) =>
			profile !== 'kazoo' || !('filter_numbers' in Object(query)) || numbers.length === 1,
		more: { metadata: {} },
	});
