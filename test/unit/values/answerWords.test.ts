import { answerWords } from '../../../nodes/VirtualPbx/values/answerWords';

describe("the PBX's own words", () => {
	it.each([' ', '\n', '404', ' 12 '])('are none where a field only holds "%s"', (message) => {
		expect(answerWords({ message })).toBeUndefined();
		expect(answerWords({ message, detail: 'Line is busy' })).toBe('Line is busy');
	});
});
