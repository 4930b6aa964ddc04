// Plain undici in a process of its own: reads a URL as JSON, or into a file, and prints how long it took.
// Called with a JSON of `{ url, token, file? }`.
const { createWriteStream } = require('node:fs');
const { pipeline } = require('node:stream/promises');
const { request } = require('undici');

async function main({ url, token, file }) {
	const began = performance.now();
	const { statusCode, body } = await request(url, { headers: { 'x-auth-token': token } });
	if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
	let count;
	if (file) {
		const target = createWriteStream(file);
		await pipeline(body, target);
		count = target.bytesWritten;
	} else {
		count = JSON.parse(await body.text()).data.length;
	}
	console.log(JSON.stringify({ ms: performance.now() - began, count }));
}

main(JSON.parse(process.argv[2]));
