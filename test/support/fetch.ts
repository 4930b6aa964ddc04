// Closes each connection after its response: n8n closes an idle one after 5 seconds, possibly just as it's reused.
import { Agent } from 'undici';

const dispatcher = new Agent({ pipelining: 0 });
const send = globalThis.fetch;

globalThis.fetch = async (input, init) =>
	await send(input, Object.assign({}, init, { dispatcher }));
