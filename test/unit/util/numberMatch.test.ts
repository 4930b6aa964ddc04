import { HANGUP_CAUSES, hangupWords } from '../../../nodes/VirtualPbx/calls/outcome';
import { readNumberMatch } from '../../../nodes/VirtualPbx/util/phone';

describe('a filter by numbers', () => {
	it.each<[list: unknown, number: string, passes: boolean, country?: string]>([
		['12125550123', '12125550123', true],
		['12125550123', 'sip:12125550123@host', true],
		['+1 (212) 555-0123', 'sip:%2B12125550123@host', true],
		['12125550123', '121255501234', false],
		['1212*', 'sip:12125550123@host', true],
		['1212*', 'sip:1216@host', false],
		['100, 1646*;200', '200', true],
		[['100', '1646*'], '16461', true],
		[100, 'sip:100@host', true],
		['*', 'anything', true],
		['171', '171 (IVANOVA MA)', true],
		['17*', '171 (IVANOVA MA)', true],
		['72', '171 (72)', false],
		['171 (IVANOVA, MA), 172', '171', true],
		['171 (IVANOVA, MA), 172', 'sip:172@host', true],
		['"Ivanova, M" <sip:171@host;user=phone>; 9', '171 (IVANOVA MA)', true],
		['"Ivanova, M" <sip:171@host;user=phone>; 9', '9', true],
		['+1 (212) 555-0123', '12125550123 (Stein)', true],
		['"never closed, 172', '172', true],
		['(never closed; <171, 172', '172', true],
		['<never closed\n>, 172', '172', true],
		// With a country, in any form.
		['+79161234567', 'sip:89161234567@host', true, 'RU'],
		['89161234567', '+7 916 123-45-67', true, 'RU'],
		['+7916*', '8 (916) 123-45-67', true, 'RU'],
		['8916*', '89161234567', true, 'RU'],
		['+79161234567', '89161234568', false, 'RU'],
		['100', '100', true, 'RU'],
	])('%j lets %j through: %j', (...[list, number, passes, country]) => {
		expect(readNumberMatch(list, country)?.(number)).toBe(passes);
	});

	it.each([[''], [' , ;\n'], [undefined], [null], [[]]])('is none for %j', (list) => {
		expect(readNumberMatch(list)).toBeUndefined();
	});
});

describe('hang-up causes in plain words', () => {
	it('are known for every code that is offered, and made up for others', () => {
		expect(HANGUP_CAUSES).toEqual([...HANGUP_CAUSES].sort());
		for (const code of HANGUP_CAUSES) expect(hangupWords(code)).not.toContain('_');
		expect(hangupWords('no_answer')).toBe('No answer');
		expect(hangupWords('SOME_NEW_CODE')).toBe('Some new code');
		expect(hangupWords('constructor')).toBe('Constructor');
		expect(hangupWords('')).toBe('');
	});
});
