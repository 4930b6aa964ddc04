import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { cdrsOf } from '../../../nodes/VirtualPbx/pbx/cdrs/cdrs';
import { DEFAULT_CALL_SETTINGS, dialectOf } from '../../../nodes/VirtualPbx/pbx/credential';
import type { Pbx } from '../../../nodes/VirtualPbx/pbx/client';
import type { PbxRequest } from '../../../nodes/VirtualPbx/pbx/types';

/** A record, and the time in Gregorian seconds that the PBX finds it by. */
export interface Filed {
	time: number;
	record: IDataObject;
}

/** Whether the ends belong to a range, which the contract leaves open. */
export interface Bounds {
	fromInclusive: boolean;
	toInclusive: boolean;
}

export const bounds: fc.Arbitrary<Bounds> = fc.record({
	fromInclusive: fc.boolean(),
	toInclusive: fc.boolean(),
});

/** Says whether a PBX that reads ranges so finds what is filed under a time. */
export function isFound(time: number, query: IDataObject, ways: Bounds): boolean {
	const [from, to] = [Number(query.created_from), Number(query.created_to)];
	const isAfter = ways.fromInclusive ? time >= from : time > from;
	return isAfter && (ways.toInclusive ? time <= to : time < to);
}

/** A client whose requests a function answers. */
export function pbxBy(
	send: (request: PbxRequest) => Promise<unknown>,
	dialect = dialectOf('contract'),
): Pbx {
	const recordingAddress = (id: string) => dialect.recordingById?.path.replace('{id}', id);
	const pbx = { send, dialect, recordingAddress, calls: DEFAULT_CALL_SETTINGS } as unknown as Pbx;
	return Object.assign(pbx, { cdrs: cdrsOf(pbx) });
}

/** A PBX that files records and notes requests. */
export function pbxOf(all: readonly Filed[], ways: Bounds) {
	const requests: IDataObject[] = [];
	const send = async ({ query = {} }: PbxRequest) => {
		requests.push(query);
		const found = all.filter(({ time }) => isFound(time, query, ways));
		return { data: found.map(({ record }) => ({ ...record })) };
	};
	return { pbx: pbxBy(send), requests };
}
