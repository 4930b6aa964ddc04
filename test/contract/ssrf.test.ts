import { SsrfProtectionService } from '@n8n/backend-network';
import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import type { NodeApiError } from 'n8n-workflow';

import { forgetLogins } from '../../nodes/VirtualPbx/pbx/login';
import { runNode, storeCredential, testCredential } from '../support/core';
import { startScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedPbx } from '../support/scriptedPbx';

const config = Container.get(SsrfProtectionConfig);
const login = { login: 'demo', password: 'secret-word', realm: 'r' };
const list = { resource: 'callflow', operation: 'getMany' };
const words = (error: Error | undefined) =>
	`${error?.message} ${(error as NodeApiError | undefined)?.description}`;

describe("n8n's SSRF protection", () => {
	let pbx: ScriptedPbx | undefined;
	beforeEach(() => {
		forgetLogins();
		config.enabled = true;
	});
	afterEach(async () => {
		config.enabled = false;
		await pbx?.close();
		pbx = undefined;
	});

	it.each([
		[
			'http://10.1.2.3:8000',
			'the private address 10.1.2.3.',
			'add 10.1.2.3/32 to N8N_SSRF_ALLOWED_IP_RANGES, and',
		],
		['http://[fc00::1]:8000', 'the private address fc00::1.', 'add fc00::1/128 to N8N_SSRF'],
		[
			'http://localhost:8000',
			'of localhost.',
			'N8N_SSRF_ALLOWED_IP_RANGES or localhost to N8N_SSRF_ALLOWED_HOSTNAMES, and to restart n8n',
		],
	])(
		'is named when it blocks the login, in an operation and the test: %s',
		async (baseUrl, reason, hint) => {
			const credential = await storeCredential({ baseUrl, ...login });
			const { error } = await runNode({ type: 'virtualPbx', parameters: list, credential });
			const { status, message } = await testCredential(credential);

			expect(status).toBe('Error');
			for (const said of [words(error), message]) {
				expect(said).toContain("n8n's SSRF protection blocks the private address");
				expect(said).toContain(reason);
				expect(said).toContain(hint);
			}
		},
	);

	it('is named when it blocks a request, which is not sent', async () => {
		config.enabled = false;
		pbx = await startScriptedPbx();
		const credential = await storeCredential({ baseUrl: pbx.url, ...login });
		const node = { type: 'virtualPbx', parameters: list, credential };
		expect((await runNode(node)).error).toBeUndefined();
		const sent = pbx.requests.length;
		config.enabled = true;

		const said = words((await runNode(node)).error);
		expect(said).toMatch(/^Couldn't reach the PBX: .* blocks the private address 127\.0\.0\.1/);
		expect(said).toContain('127.0.0.1/32 to N8N_SSRF_ALLOWED_IP_RANGES');
		expect(pbx.requests).toHaveLength(sent);
	});

	it('is named where a redirect leads', async () => {
		const { validateIp } = SsrfProtectionService.prototype;
		// The allowed addresses are read once per process.
		jest.spyOn(SsrfProtectionService.prototype, 'validateIp').mockImplementation(function (
			this: SsrfProtectionService,
			ip,
		) {
			return ip === '127.0.0.1' ? { ok: true, result: undefined } : validateIp.call(this, ip);
		});
		pbx = await startScriptedPbx(({ path }) =>
			path.endsWith('.mp3')
				? { status: 302, headers: { location: 'http://169.254.10.20/a.mp3' } }
				: undefined,
		);
		const credential = await storeCredential({ baseUrl: pbx.url, ...login });
		const parameters = {
			resource: 'recording',
			operation: 'download',
			source: 'url',
			recordingUrl: `${pbx.url}/a.mp3`,
		};
		const { error } = await runNode({ type: 'virtualPbx', parameters, credential });
		jest.restoreAllMocks();
		expect(words(error)).toContain('SSRF protection blocks the private address 169.254.10.20');
	});
});
