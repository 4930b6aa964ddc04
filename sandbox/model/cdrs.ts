import type { LegFacts } from '../pbx/kazoo-cdrs';
import type { Cdr } from './types';

export class Cdrs {
	private readonly records: Array<{ time: number; cdr: Cdr }> = [];
	private readonly legs = new WeakMap<Cdr, LegFacts>();
	revision = 0;

	get size(): number {
		return this.records.length;
	}

	add(cdr: Cdr, leg?: LegFacts): void {
		if (leg) this.legs.set(cdr, leg);
		const time = Number(cdr.TIMESTAMP);
		let place = this.records.length;
		while ((this.records[place - 1]?.time ?? -Infinity) > time) place--;
		this.records.splice(place, 0, { time, cdr });
		this.revision++;
	}

	/** Returns a record's leg. Undefined if the record was added without a call. */
	legOf(cdr: Cdr): LegFacts | undefined {
		return this.legs.get(cdr);
	}

	range(from: number, to: number): Cdr[] {
		const found = this.records.filter(({ time }) => time >= from && time <= to);
		return found.map(({ cdr }) => cdr).reverse();
	}

	clear(): void {
		this.records.length = 0;
		this.revision++;
	}
}
