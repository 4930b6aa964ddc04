import type { IDataObject } from 'n8n-workflow';

import { cdrBegin, cdrTalk, cdrText, cdrTime, textIn } from '../pbx/cdrs/cdrFields';
import type { End } from '../util/party';
import { readEnd } from '../util/party';
import type { Leg } from './leg';
import { employeeAt } from './parties';

/** Reads a CDR (§2.4) as a leg. Every number in an output passes through here. */
export function legOfCdr(record: IDataObject): Leg {
	const from = endOf(record, 'CALLER_ID');
	const to = endOf(record, 'CALLEE_ID');
	const side = sideOf(record);
	const talk = cdrTalk(record);
	return {
		id: textIn(record, 'CALL_ID'),
		otherId: textIn(record, 'OTHER_LEG_CALL_ID'),
		callId: cdrText(record, 'BRIDGE_ID'),
		side,
		from,
		to,
		employee: employeeAt(side === 'called' ? to : from),
		state: stateOf(talk),
		isOver: true,
		talk,
		cause: cdrText(record, 'HANGUP_CAUSE'),
		at: cdrTime(record),
		beganAt: cdrBegin(record),
	};
}

/** Reads one end of a leg. Stock platforms put the name in a field of its own. */
function endOf(record: IDataObject, end: 'CALLEE_ID' | 'CALLER_ID'): End | undefined {
	const read = readEnd(cdrText(record, `${end}_NUMBER`));
	const name = textIn(record, `${end}_NAME`);
	return read && name !== read.number ? { ...read, name: read.name ?? name } : read;
}

/** Returns undefined for an unknown direction (§2.4). */
function sideOf(record: IDataObject): Leg['side'] {
	const direction = cdrText(record, 'CALL_DIRECTION')?.trim().toLowerCase() ?? '';
	if (direction === 'inbound') return 'caller';
	return direction.startsWith('out') ? 'called' : undefined;
}

function stateOf(talk: number | undefined): Leg['state'] {
	if (talk === undefined) return 'unsaid';
	return talk > 0 ? 'answered' : 'unanswered';
}
