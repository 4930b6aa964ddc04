import type { IDataObject } from 'n8n-workflow';

import { toE164 } from '../../../nodes/VirtualPbx/util/phone';
import { only, placeIn, readCorpus } from '../../support/corpus';
import { credentialOf, operate } from '../../support/operate';
import { loginAnswer, useScriptedPbx } from '../../support/scriptedPbx';
import { OddBench } from '../../support/trigger/oddBench';

/** A call in the form of a public report, and what a person says of it. */
interface Report {
	title: string;
	source: string;
	/** In E.164, numbers are from these countries. */
	country: string;
	means: IDataObject | null;
}
type Records = Report & { kind: 'cdr'; input: IDataObject[] };
type Event = Report & { kind: 'event'; input: IDataObject };
type Numbers = Report & { kind: 'e164'; input: Array<[string, string]>; means: string[] };

const ALL = readCorpus<Array<Records | Event | Numbers>>('public-reports');
const titled = <T extends Report>(kind: string): Array<[string, T]> =>
	ALL.filter((report) => report.kind === kind).map((report) => [report.title, report as never]);

describe('calls in the forms of public reports', () => {
	let stored: IDataObject[];
	const pbx = useScriptedPbx(({ path }) =>
		placeIn(path) === 'cdrs'
			? { body: { data: stored, status: 'success' } }
			: loginAnswer('token-1'),
	);

	it.each(titled<Records>('cdr'))('in records: %s', async (_, { input, country, means }) => {
		const credential = await credentialOf(pbx, { country });
		const period = { after: '2026-11-01T00:00:00Z', before: '2026-12-01T00:00:00Z' };
		const options = { includeDetails: true };
		const parameters = { returnAll: true, period: 'range', ...period, options };
		for (const order of [input, [...input].reverse(), [...input.slice(1), ...input.slice(0, 1)]]) {
			stored = order;
			const { items, error } = await operate(credential, 'call:getMany', parameters);
			expect(error).toBeUndefined();
			expect(items.map((item) => only(item, means ?? {}))).toEqual([means]);
		}
	});

	it.each(titled<Event>('event'))('in an event: %s', async (_, { input, country, means }) => {
		const bench = new OddBench();
		try {
			const options = { includeDetails: true };
			await bench.start({}, { events: ['ended', 'missed'], options }, { country });
			const { trigger } = bench;
			await trigger.activate();
			const custom = bench.customData()[0] ?? {};
			const { status } = await trigger.deliver({ body: { ...input, ...custom } });
			expect(status).toBe(200);
			const items = trigger.executions.flat().map((item) => only(item, means ?? {}));
			expect(items).toEqual(means === null ? [] : [means]);
		} finally {
			await bench.close();
		}
	});

	it.each(titled<Numbers>('e164'))('in numbers: %s', (_, { input, means }) => {
		expect(input.map(([number, country]) => toE164(number, country))).toEqual(means);
	});
});
