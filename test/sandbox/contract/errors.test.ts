import { changing, useSubject, readOnly } from '../support/contract';

const pbx = useSubject();

const LISTS = ['/callflows', '/cdrs', '/webhooks', '/webhooks/attempts'];

readOnly('§7 an unknown path is refused with 404', async () => {
	expect((await pbx.own('GET', `/no_such_thing`)).status).toBe(404);
});

changing('§7 an account of another login is refused with 404', async () => {
	const { body } = await pbx.control('GET', '/state');
	const other = (body.accounts as Array<{ id: string }>)[1]?.id;
	for (const list of LISTS) {
		expect((await pbx.send('GET', `/accounts/${other}${list}`)).status).toBe(404);
	}
});

changing('§7 a refusal says what, with data, error, message, status and request_id', async () => {
	const { body } = await pbx.own('GET', `/callflows/unknown`);
	expect(body).toMatchObject({
		data: { id: { not_found: { message: 'bad identifier', cause: 'unknown' } } },
		error: '404',
		message: 'bad identifier',
		status: 'error',
		request_id: expect.any(String),
	});
});
