import { HANGUP_CAUSES } from '../../../nodes/VirtualPbx/values/hangupCause';
import type { Facts } from '../../../nodes/VirtualPbx/values/outcome';
import { END_OUTCOMES, outcomeOf, OUTCOMES } from '../../../nodes/VirtualPbx/values/outcome';

const unanswered: Facts = {
	state: 'unanswered',
	byColleague: false,
	byExchange: false,
	cause: undefined,
};
const values = OUTCOMES.map(({ value }) => value);

describe('the outcome', () => {
	it('is one of nine words, in alphabetical order, and a call that is over does not ring', () => {
		const names = OUTCOMES.map(({ name }) => name);
		expect(names).toEqual([...names].sort());
		expect(values).toHaveLength(9);
		expect(END_OUTCOMES.map(({ value }) => value)).toEqual(
			values.filter((value) => value !== 'ringing'),
		);
	});

	it.each<[Partial<Facts>, string]>([
		[{ state: 'ringing', cause: 'NO_ANSWER' }, 'ringing'],
		[{ state: 'answered', cause: 'USER_BUSY', byColleague: true }, 'answered'],
		[{ state: 'answered', byExchange: true }, 'voicemail'],
		[{ state: 'unsaid' }, 'answered'],
		[{ state: 'unsaid', cause: 'Normal Clearing' }, 'answered'],
		[{ state: 'unsaid', cause: 'NO_ANSWER' }, 'missed'],
		[{}, 'missed'],
		[{ byColleague: true }, 'cancelled'],
		[{ byExchange: true }, 'missed'],
		[{ cause: 'constructor' }, 'missed'],
		[{ cause: 'SOME_NEW_CODE', byColleague: true }, 'cancelled'],
	])('of %j is %s', (facts, expected) => {
		expect(outcomeOf({ ...unanswered, ...facts })).toBe(expected);
	});

	it.each([
		['missed', ['NO_ANSWER', 'ORIGINATOR_CANCEL', 'NO_USER_RESPONSE', 'PROGRESS_TIMEOUT']],
		['missed', ['NORMAL_CLEARING', 'ALLOTTED_TIMEOUT', 'RECOVERY_ON_TIMER_EXPIRE']],
		['elsewhere', ['LOSE_RACE', 'PICKED_OFF', 'ANSWERED_ELSEWHERE', 'answered-elsewhere']],
		['busy', ['USER_BUSY', 'user busy']],
		['declined', ['CALL_REJECTED']],
		['failed', ['UNALLOCATED_NUMBER', 'NO_ROUTE_DESTINATION', 'USER_NOT_REGISTERED']],
		['failed', ['SUBSCRIBER_ABSENT', 'NORMAL_TEMPORARY_FAILURE', 'MEDIA_TIMEOUT']],
	])('of a call that nobody answered is %s for %j', (expected, causes) => {
		for (const cause of causes) expect(outcomeOf({ ...unanswered, cause })).toBe(expected);
	});

	it('of a call that nobody answered is never answered, whatever the cause', () => {
		for (const cause of HANGUP_CAUSES)
			expect(['missed', 'busy', 'declined', 'failed', 'elsewhere']).toContain(
				outcomeOf({ ...unanswered, cause }),
			);
	});
});
