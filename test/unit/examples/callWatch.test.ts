import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { runCode } from '../../support/exampleCode';
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

/** Returns the same numbers between 0 and 1 in each run. */
function seeded(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
		return state / 2_147_483_648;
	};
}

interface Phone {
	extension: string;
	countries: string[];
	perDay: number;
	from: number;
	to: number;
}

/** Simulates a company's outgoing calls: office hours, each phone with its countries, some late work. */
class Company {
	private readonly random: () => number;
	private readonly phones: Phone[];

	constructor(seed: number) {
		this.random = seeded(seed);
		this.phones = Array.from({ length: 25 }, (_, index) => ({
			extension: String(100 + index),
			countries: [HOME, ...ABROAD.filter(() => this.random() < 0.25)],
			perDay: 4 + Math.floor(this.random() * 25),
			from: 8 + Math.floor(this.random() * 2),
			to: 17 + Math.floor(this.random() * 2),
		}));
	}

	private pick<T>(list: T[]): T {
		return list[Math.floor(this.random() * list.length)] as T;
	}

	private call(extension: string, customerCountry: string, at: DateTime, number = ''): IDataObject {
		const customerNumber =
			number || `+1${this.pick(AREAS)}${Math.floor(1e6 + this.random() * 9e6)}`;
		return { at: at.toISO(), employee: extension, customerNumber, details: { customerCountry } };
	}

	/** A day's legitimate calls. */
	day(day: DateTime): IDataObject[] {
		if (day.weekday > 5) return [];
		const isNew = this.random() < NEW_COUNTRIES / 5;
		const customer = this.call(this.pick(this.phones).extension, 'FR', day.set({ hour: 11 }));
		const usual = this.phones.flatMap(({ extension, countries, perDay, from, to }) => {
			const count = Math.round(perDay * (0.5 + this.random()));
			return Array.from({ length: count }, () => {
				const isLate = this.random() < 0.01;
				const hour = isLate ? to : from + Math.floor(this.random() * (to - from));
				const country = this.random() < 0.8 ? HOME : this.pick(countries);
				const at = day.set({ hour, minute: Math.floor(this.random() * 60) });
				return this.call(extension, country, at);
			});
		});
		return isNew ? [...usual, customer] : usual;
	}

	/** Some calls by whoever has stolen a phone's password. */
	fraud(day: DateTime, kind: number): IDataObject[] {
		const { extension } = this.pick(this.phones);
		const [hour, country, number, count] = [
			[3, FRAUD[kind % FRAUD.length] ?? '', '+53512345', 8],
			[11, FRAUD[(kind + 1) % FRAUD.length] ?? '', '+25212345', 5],
			[14, HOME, '+19005550123', 4],
			[2, HOME, '+12125550167', 6],
			[12, HOME, '+12125550167', 90],
		][kind % 5] as [number, string, string, number];
		return Array.from({ length: count }, (_, index) => {
			const at = day.set({ hour, minute: Math.floor((index * 60) / count) });
			return this.call(extension, country, at, number);
		});
	}
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
			const company = new Company(seed);
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
