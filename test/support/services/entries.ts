import type { crms } from './crms';

type StandIns = ReturnType<typeof crms>;

/** The CRMs' calls and customers, for the tests. */
export class Entries {
	constructor(private readonly standIns: StandIns) {}

	/** Returns everything, for a comparison. */
	state() {
		const { sheets } = this.standIns;
		return structuredClone({
			rows: sheets.read('Calls'),
			customers: sheets.read('Customers'),
		});
	}

	/** Counts the entries of each kind. */
	counts() {
		return Object.fromEntries(
			Object.entries(this.state()).map(([name, all]) => [name, all.length]),
		) as Record<keyof ReturnType<Entries['state']>, number>;
	}

	/** Returns a call's entry in each CRM. */
	of(callId: string) {
		const { sheets } = this.standIns;
		return {
			sheets: sheets.read('Calls').find((row) => row.callId === callId),
		};
	}

	/** Returns the recording links in each CRM. */
	links(): string[][] {
		const { sheets } = this.standIns;
		const held = [sheets.read('Calls').map(({ recording }) => String(recording))];
		return held.map((links) => links.flatMap((link) => link || []));
	}
}
