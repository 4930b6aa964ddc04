// A PBX that lets anyone in and has recordings of any size at /recording/<bytes>.wav, which it never holds whole.
// Prints its address when it listens.
const http = require('node:http');
const { Readable } = require('node:stream');

const CHUNK = Buffer.alloc(64 * 1024, 1);
const LOGIN = { status: 'success', auth_token: 'token', data: { account_id: 'a'.repeat(32) } };

function* bytes(left) {
	for (; left > 0; left -= CHUNK.length)
		yield left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK;
}

const server = http.createServer((request, response) => {
	const size = Number(/\/recording\/(\d+)\.wav$/.exec(request.url ?? '')?.[1]);
	if (Number.isNaN(size)) {
		request.resume();
		response.setHeader('content-type', 'application/json').end(JSON.stringify(LOGIN));
		return;
	}
	response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': size });
	Readable.from(bytes(size)).pipe(response);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
