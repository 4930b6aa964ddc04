import { simplifyRequest } from '../../../../nodes/VirtualPbx/pbx/pivot/request';

const simplify = (query: object, body?: unknown) =>
	simplifyRequest({ method: body === undefined ? 'GET' : 'POST', query: { ...query }, body });

describe('a routing request', () => {
	const sent = {
		'Call-ID': 'abc@1',
		From: '12125550167@company.example',
		To: 'sip:12125550123@company.example',
		Request: '12125550123@company.example',
		'Caller-ID-Name': 'Ann',
		'Caller-ID-Number': '12125550167',
		Direction: 'inbound',
		'Account-ID': 'acc',
		callflow_id: 'cf',
		'From-Realm': 'company.example',
		Digits: '5',
	};

	it('is simplified, with the originals and everything else beside it', () => {
		expect(simplify(sent)).toEqual({
			direction: 'inbound',
			from: '12125550167',
			fromName: 'Ann',
			to: '12125550123',
			callId: 'abc@1',
			details: {
				callerNumber: '12125550167',
				callerName: 'Ann',
				fromUri: '12125550167@company.example',
				toUri: 'sip:12125550123@company.example',
				requestUri: '12125550123@company.example',
				accountId: 'acc',
				callflowId: 'cf',
				parameters: { 'From-Realm': 'company.example', Digits: '5' },
			},
		});
	});

	it.each([
		['JSON', {}, sent],
		['JSON in an object', {}, { data: sent }],
		['JSON text without a content type', {}, JSON.stringify(sent)],
		['a form without a content type', {}, new URLSearchParams(sent).toString()],
		[
			'lower-case names',
			{},
			Object.fromEntries(
				Object.entries(sent).map(([key, value]) => [key.toLowerCase().replace('-', '_'), value]),
			),
		],
		['query and body together', { 'Call-ID': sent['Call-ID'] }, { ...sent, callflow_id: '' }],
	])('is understood as %s', (_, query, body) => {
		expect(simplify(query, body)).toMatchObject({
			callId: 'abc@1',
			from: '12125550167',
			to: '12125550123',
			fromName: 'Ann',
		});
	});

	it.each([
		['src', 'dst'],
		['ANI', 'DNIS'],
		['Caller', 'Called'],
	])('takes the numbers under the names %s and %s', (from, to) => {
		expect(simplify({ [from]: '12125550167', [to]: '100' })).toMatchObject({
			from: '12125550167',
			to: '100',
			details: { parameters: {} },
		});
	});

	it('says null for what is not sent', () => {
		expect(simplify({ 'Caller-ID-Number': '100' })).toMatchObject({
			callId: null,
			from: '100',
			to: null,
			details: { parameters: {} },
		});
		expect(simplify({}, 'garbage')).toMatchObject({ callId: null, from: null });
		expect(simplify({}, null)).toMatchObject({ details: { parameters: {} } });
	});

	it('takes the name from beside the number, where none is sent by itself', () => {
		const named = simplify({ From: '"Ann" <sip:100@company.example>' });
		expect(named).toMatchObject({ from: '100', fromName: 'Ann', details: { callerName: null } });
	});

	it('keeps leading zeros and plus signs', () => {
		expect(simplify({ From: '+007', To: '0042' })).toMatchObject({ from: '+007', to: '0042' });
	});
});
