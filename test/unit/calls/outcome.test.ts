import { outcomeOfLeg } from '../../../nodes/VirtualPbx/calls/outcome';

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
