import { benchCalls } from './calls';
import { benchCdrs } from './cdrs';
import { benchHttp } from './http';

const BENCHES = { http: benchHttp, calls: benchCalls, cdrs: benchCdrs };

/** Runs the measurements that are named, or all, and prints their figures. */
async function main(names: string[]): Promise<void> {
	for (const [name, bench] of Object.entries(BENCHES)) {
		if (names.length > 0 && !names.includes(name)) continue;
		console.log(name);
		console.table(await bench());
	}
}

void main(process.argv.slice(2));
