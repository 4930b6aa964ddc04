import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { runCode } from '../../support/exampleCode';
import { randomOf } from '../../support/random';
import { times } from '../../support/release';

const HOME = 'US';
const FRAUD = ['CU', 'SO', 'LV', 'SL'];
const ABROAD = ['DE', 'PL', 'TR', 'CN', 'MX'];
/** Areas that employees call at home. */
const AREAS = ['212', '312', '415', '617', '646', '718'];
/** Each is a company with other phones and habits. */
const COMPANIES = Array.from({ length: times(1, 10) }, (_, index) => index + 1);
/** How often a week someone has a customer in a new country. */
const NEW_COUNTRIES = 0.3;

/** Simulates a company's outgoing calls: office hours, each phone with its countries, some late work. */
function companyOf(seed: number) {
	const random = randomOf(seed);
	const below = (limit: number) => Math.floor(random() * limit);
	const oneOf = <T>(list: T[]) => list[below(list.length)] as T;
	const phones = Array.from({ length: 25 }, (_, index) => ({
		...{
			extension: String(100 + index),
			perDay: 4 + below(25),
			from: 8 + below(2),
			to: 17 + below(2),
		},
		countries: [HOME, ...ABROAD.filter(() => random() < 0.25)],
	}));
	const call = (
		employee: string,
		customerCountry: string,
		at: DateTime,
		number = '',
	): IDataObject => {
		const customerNumber = number || `+1${oneOf(AREAS)}${1e6 + below(9e6)}`;
		return { at: at.toISO(), employee, customerNumber, details: { customerCountry } };
	};
	return {
		/** A day's legitimate calls. */
		day(day: DateTime): IDataObject[] {
			if (day.weekday > 5) return [];
			const usual = phones.flatMap(({ extension, countries, perDay, from, to }) =>
				Array.from({ length: Math.round(perDay * (0.5 + random())) }, () => {
					const hour = random() < 0.01 ? to : from + below(to - from);
					const country = random() < 0.8 ? HOME : oneOf(countries);
					return call(extension, country, day.set({ hour, minute: below(60) }));
				}),
			);
			const isNew = random() < NEW_COUNTRIES / 5;
			return isNew ? [...usual, call(oneOf(phones).extension, 'FR', day.set({ hour: 11 }))] : usual;
		},
		/** Some calls by whoever has stolen a phone's password. */
		fraud(day: DateTime, kind: number): IDataObject[] {
			const { extension } = oneOf(phones);
			const [hour, country, number, count] = (
				[
					[3, FRAUD[kind % FRAUD.length] ?? '', '+53512345', 8],
					[11, FRAUD[(kind + 1) % FRAUD.length] ?? '', '+25212345', 5],
					[14, HOME, '+19005550123', 4],
					[2, HOME, '+12125550167', 6],
					[12, HOME, '+12125550167', 90],
				] as Array<[number, string, string, number]>
			)[kind % 5] ?? [0, '', '', 0];
			return Array.from({ length: count }, (_, index) => {
				const at = day.set({ hour, minute: Math.floor((index * 60) / count) });
				return call(extension, country, at, number);
			});
		},
	};
}

/** Runs the workflow's code on the calls of a poll. */
function watch(habits: Map<string, IDataObject>, calls: IDataObject[]): string[] {
	const settings = { expensiveNumbers: '1900, 1976', enoughCalls: 30 };
	const given = calls.map((call) => ({ ...call, ...settings }));
	const described = runCode('call-watch.json', 'Describe Calls', {}, given);
	const made = { 'Describe Calls': described };
	const rows = runCode('call-watch.json', 'Compare and Learn', made, [...habits.values()]);
	for (const row of rows) habits.set(String(row.employee), { ...row, alerts: [] });
	return rows.flatMap(({ alerts }) => alerts as string[]);
}

/** Whether a call raises an alert. What the calls teach is forgotten, so that each fraud is the first. */
function isFound(habits: Map<string, IDataObject>, calls: IDataObject[]): boolean {
	const copy = new Map([...habits].map(([key, row]) => [key, { ...row }]));
	return calls.some((call) => watch(copy, [call]).length > 0);
}

describe('the call watch', () => {
	it.each(COMPANIES)(
		'finds 95 of 100 frauds, with at most one false alarm a week (company %d)',
		(seed) => {
			const company = companyOf(seed);
			const habits = new Map<string, IDataObject>();
			const start = DateTime.fromISO('2026-09-07T00:00:00', { zone: 'UTC' });
			const learned = Array.from({ length: 28 }, (_, day) =>
				company.day(start.plus({ days: day })),
			);
			watch(habits, learned.flat());

			let [falseAlarms, found, frauds] = [0, 0, 0];
			for (let day = 28; day < 56; day += 1) {
				const date = start.plus({ days: day });
				falseAlarms += watch(habits, company.day(date)).length;
				for (let kind = 0; kind < 5; kind += 1) {
					frauds += 1;
					found += isFound(habits, company.fraud(date, kind)) ? 1 : 0;
				}
			}

			expect(frauds).toBe(140);
			expect(found / frauds).toBeGreaterThanOrEqual(0.95);
			expect(falseAlarms).toBeLessThanOrEqual(4);
		},
	);
});
