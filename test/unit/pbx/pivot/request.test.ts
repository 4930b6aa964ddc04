import { simplifyRequest } from '../../../../nodes/VirtualPbx/pbx/pivot/request';

const simplify = (query: object, body?: unknown) =>
	simplifyRequest({ method: body === undefined ? 'GET' : 'POST', query: { ...query }, body });

// Requests as a GET, a form, or JSON are in test/contract/corpus/recorded.test.ts, and all fields of the item in
// docs/reference/virtual-pbx-call-routing-trigger.md.
describe('a routing request', () => {
	const sent = {
		'Call-ID': 'abc@1',
		From: '12125550167@h.example',
		To: 'sip:12125550123@h.example',
	};

	it('has beside its item everything else that was sent', () => {
		expect(simplify({ ...sent, 'From-Realm': 'h.example', Digits: '5' })).toMatchObject({
			...{ callId: 'abc@1', from: '12125550167', to: '12125550123' },
			details: { parameters: { 'From-Realm': 'h.example', Digits: '5' } },
		});
	});

	const lower = Object.entries(sent).map(([key, value]) => [
		key.toLowerCase().replace('-', '_'),
		value,
	]);
	it.each([
		['JSON in an object', {}, { data: sent }],
		['JSON text without a content type', {}, JSON.stringify(sent)],
		['a form without a content type', {}, new URLSearchParams(sent).toString()],
		['lower-case names', {}, Object.fromEntries(lower)],
		['query and body together', { 'Call-ID': sent['Call-ID'] }, { ...sent, callflow_id: '' }],
		['names with src', {}, { call_id: 'abc@1', src: '12125550167', dst: '12125550123' }],
		['names with ANI', {}, { call_id: 'abc@1', ANI: '12125550167', DNIS: '12125550123' }],
		['names with caller', {}, { call_id: 'abc@1', Caller: '12125550167', Called: '12125550123' }],
	])('is understood as %s', (_, query, body) => {
		expect(simplify(query, body)).toMatchObject({
			...{ callId: 'abc@1', from: '12125550167', to: '12125550123' },
			details: { parameters: {} },
		});
	});

	it('says null for what is not sent', () => {
		const rest = { callId: null, to: null, details: { parameters: {} } };
		expect(simplify({ 'Caller-ID-Number': '100' })).toMatchObject({ ...rest, from: '100' });
		for (const body of ['garbage', null])
			expect(simplify({}, body)).toMatchObject({ callId: null, from: null });
	});

	it('takes the name from beside the number, where none is sent by itself', () => {
		const named = simplify({ From: '"Ann" <sip:100@company.example>' });
		expect(named).toMatchObject({ from: '100', fromName: 'Ann', details: { callerName: null } });
	});

	it('keeps leading zeros and plus signs', () => {
		expect(simplify({ From: '+007', To: '0042' })).toMatchObject({ from: '+007', to: '0042' });
	});
});
