import { messageIn, saidIn } from '../../../nodes/VirtualPbx/pbx/errors/failures';

describe("the PBX's own words", () => {
	it.each([' ', '\n', '404', ' 12 '])('are none where a field only holds "%s"', (message) => {
		expect(messageIn({ message })).toBeUndefined();
		expect(messageIn({ message, error_message: 'Line is busy' })).toBe('Line is busy');
	});

	it.each([
		[{ message: 'bad_identifier', data: 'no such callflow' }, 'no such callflow'],
		[{ message: 'bad_gateway', data: { message: 'upstream is down' } }, 'upstream is down'],
		[{ message: 'Number taken', data: { message: 'unknown failure' } }, 'Number taken'],
		[{ message: 'forbidden', data: { message: 'unknown failure' } }, 'forbidden'],
		[{ message: 'gone', data: 'Version 1 is not supported.' }, 'Version 1 is not supported.'],
		[{ message: 'gone', data: 'moved' }, 'gone'],
		[{ message: 'bad_identifier', data: {} }, 'bad_identifier'],
		[{ message: 'bad_gateway', data: '<html></html>' }, 'bad_gateway'],
	])('prefer a sentence to a code: %j', (body, words) => {
		expect(messageIn(body)).toBe(words);
	});

	it('are shown raw where nothing is known of their shape', () => {
		expect(saidIn({ fault: 'x', code: 7 })).toBe('{"fault":"x","code":7}');
		expect(saidIn({ errors: [{ detail: 'y'.repeat(400) }] })?.length).toBeLessThan(310);
		expect(saidIn({ data: { numbers: { unique: 'taken' } } })).toBeUndefined();
		for (const empty of [{}, [], '', '<html></html>', null]) expect(saidIn(empty)).toBeUndefined();
	});
});
