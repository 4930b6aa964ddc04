import type { IDataObject } from 'n8n-workflow';

/** The live board as its page shows it. */
export interface Board extends IDataObject {
	ringing: IDataObject[];
	talking: IDataObject[];
	callBack: IDataObject[];
	answered: number;
	missed: number;
	/** Of the incoming calls of today, in percent. */
	share: number | null;
}

type Count = (rows: IDataObject[], now: number) => Board;

/** Returns the function that counts the rows in the page of the live board. Throws without one. */
export function countOf(page: string): Count {
	const [script] = /const ON_TIME_SECONDS[^]*?\n}\n/.exec(page) ?? [];
	if (!script) throw new Error('The page of the live board has no count');
	return new Function(`${script}; return count;`)() as Count;
}

/** Reads the live board as its page does, with the page's key. Throws if n8n doesn't send the page or the rows. */
export async function openBoard(address: string, headers: Record<string, string>) {
	const page = await (await fetch(address, { headers })).text();
	const count = countOf(page);
	const [, key = ''] = /const key = '(\w+)'/.exec(page) ?? [];
	const rows = new Map<unknown, IDataObject>();
	return async (): Promise<Board> => {
		const after = Math.max(0, ...[...rows.keys()].map(Number)) - 100;
		const body = new URLSearchParams({ key, after: String(Math.max(0, after)) });
		const answer = await fetch(address, { method: 'POST', body });
		for (const row of (await answer.json()) as IDataObject[]) if (row.id) rows.set(row.id, row);
		return count([...rows.values()], Date.now());
	};
}
