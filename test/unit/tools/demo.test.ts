import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { INode } from 'n8n-workflow';
import { fitNodes } from '../../../tools/demo/examples';
import { readOptions } from '../../../tools/demo/options';
import { requireFreePorts } from '../../../tools/demo/ports';

const node = (type: string, parameters: INode['parameters']): INode => ({
	id: type,
	name: type,
	type,
	typeVersion: 1,
	position: [0, 0],
	parameters,
});

describe('example workflows in the demo', () => {
	const credential = { id: '7', name: 'Sandbox PBX', type: 'virtualPbxApi' };
	const token = { id: '8', name: 'Assistant', type: 'httpBearerAuth' };
	const fit = (nodes: INode[]) => fitNodes(nodes, [credential, token], 'http://127.0.0.1:9001');

	it("get the sandbox's address wherever they name it", () => {
		const [fitted] = fit([node('a.b', { url: 'http://localhost:8090/sandbox/crm/notes' })]);

		expect(fitted?.parameters.url).toBe('http://127.0.0.1:9001/sandbox/crm/notes');
	});

	it('keep every other address', () => {
		const url = 'http://localhost:8090/elsewhere';

		expect(fit([node('a.b', { url })])[0]?.parameters.url).toBe(url);
	});

	it('get the credential in our nodes only', () => {
		const [ours, other] = fit([node('n8n-nodes-virtual-pbx.virtualPbx', {}), node('a.b', {})]);

		expect(ours?.credentials).toEqual({ virtualPbxApi: { id: '7', name: 'Sandbox PBX' } });
		expect(other?.credentials).toBeUndefined();
	});

	it('get the token where callers have to bring one, and a random path where there is none', () => {
		const [first, second] = fit(
			['a.b', 'a.c'].map((type) => node(type, { authentication: 'bearerAuth', path: '' })),
		);

		expect(first?.credentials).toEqual({ httpBearerAuth: { id: '8', name: 'Assistant' } });
		expect(first?.parameters.path).toMatch(/^[\da-f-]{36}$/);
		expect(first?.parameters.path).not.toBe(second?.parameters.path);
	});
});

describe('options of the demo', () => {
	const read = (...args: string[]) => readOptions(['node', 'start', ...args], '/demo');

	beforeEach(() => {
		delete process.env.N8N_PORT;
		delete process.env.SANDBOX_PORT;
	});

	it('have defaults', () => {
		expect(read()).toEqual({
			n8nPort: 5678,
			sandboxPort: 8090,
			fresh: false,
			once: false,
			folder: '/demo',
		});
	});

	it('are taken from the command line before the environment', () => {
		process.env.N8N_PORT = '6001';
		process.env.SANDBOX_PORT = '6002';
		expect(read('--n8n-port', '7001', '--once')).toMatchObject({
			n8nPort: 7001,
			sandboxPort: 6002,
			once: true,
		});
	});
});

describe('a port that is in use', () => {
	it('is reported with what to do', async () => {
		const server = createServer();
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		const needed = { port, user: 'n8n', flag: '--n8n-port', variable: 'N8N_PORT' };

		await expect(requireFreePorts([needed])).rejects.toThrow(`npm start -- --n8n-port ${port + 2}`);
		server.close();
		await expect(requireFreePorts([{ ...needed, port: 0 }])).resolves.toBeUndefined();
	});
});
