import type { Cdr, LegFacts } from './types';

/** Returns the first index of a sorted list whose value is at least `wanted`. */
function lowerBound(sorted: number[], wanted: number): number {
	let low = 0;
	let high = sorted.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((sorted[middle] ?? Infinity) < wanted) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** The CDRs of one account, sorted by time, so that a range is found without a scan. */
export class Cdrs {
	private readonly times: number[] = [];
	private readonly records: Cdr[] = [];
	private readonly legs = new WeakMap<Cdr, LegFacts>();
	revision = 0;

	get size(): number {
		return this.records.length;
	}

	/** Adds a record at its time, with its leg if known. */
	add(record: Cdr, leg?: LegFacts): void {
		if (leg) this.legs.set(record, leg);
		const time = Number(record.TIMESTAMP);
		const place = lowerBound(this.times, time + 1);
		if (place === this.times.length) {
			this.times.push(time);
			this.records.push(record);
		} else {
			this.times.splice(place, 0, time);
			this.records.splice(place, 0, record);
		}
		this.revision++;
	}

	/** Returns a record's leg. Undefined if the record was added without a call. */
	legOf(record: Cdr): LegFacts | undefined {
		return this.legs.get(record);
	}

	/** Returns the records of an inclusive range, newest first. */
	range(from: number, to: number): Cdr[] {
		const [first, end] = [lowerBound(this.times, from), lowerBound(this.times, to + 1)];
		return this.records.slice(first, end).reverse();
	}

	clear(): void {
		this.times.length = 0;
		this.records.length = 0;
		this.revision++;
	}
}
