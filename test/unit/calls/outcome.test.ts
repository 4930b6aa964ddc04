import type { Leg } from '../../../nodes/VirtualPbx/calls/leg';
import { outcomeOfCall, outcomeOfLeg } from '../../../nodes/VirtualPbx/calls/outcome';

describe('the outcome of a leg', () => {
	it.each([
		['noAnswer', ['NO_ANSWER', 'ORIGINATOR_CANCEL', 'NO_USER_RESPONSE', 'PROGRESS_TIMEOUT']],
		['noAnswer', ['NORMAL_CLEARING', 'ALLOTTED_TIMEOUT', 'RECOVERY_ON_TIMER_EXPIRE']],
		['elsewhere', ['LOSE_RACE', 'PICKED_OFF', 'ANSWERED_ELSEWHERE', 'answered-elsewhere']],
		['busy', ['USER_BUSY', 'user busy']],
		['declined', ['CALL_REJECTED']],
		['failed', ['UNALLOCATED_NUMBER', 'NO_ROUTE_DESTINATION', 'USER_NOT_REGISTERED']],
		['failed', ['SUBSCRIBER_ABSENT', 'NORMAL_TEMPORARY_FAILURE', 'MEDIA_TIMEOUT']],
	])('that nobody answered is %s for %j', (expected, causes) => {
		for (const cause of causes) expect(outcomeOfLeg({ state: 'unanswered', cause })).toBe(expected);
	});
});

describe('the outcome of a call', () => {
	const over = (cause: string): Leg => ({ state: 'unanswered', cause });
	const talked: Leg = { state: 'answered' };
	it.each<[string, Leg | undefined, Leg[], string]>([
		['a phone answered', over('NORMAL_CLEARING'), [over('USER_BUSY'), talked], 'answered'],
		['a colleague picked the call up', over('PICKED_OFF'), [], 'answered'],
		['phones failed alike, and their caller is unknown', undefined, [over('USER_BUSY')], 'busy'],
		['phones failed apart', undefined, [over('USER_BUSY'), over('NO_ANSWER')], 'noAnswer'],
		[
			'one of two phones took a call of which it is not said',
			undefined,
			[{ state: 'unsaid' }],
			'answered',
		],
		['only the PBX took it', talked, [over('USER_BUSY')], 'voicemail'],
		['nothing is said of the phone', talked, [{ state: 'unsaid' }], 'answered'],
		['it rings', { state: 'ringing' }, [{ state: 'ringing' }], 'ringing'],
	])('where %s', (_, first, called, expected) => {
		expect(outcomeOfCall({ first, called, isOutgoing: false, isWhole: true })).toBe(expected);
	});
});
