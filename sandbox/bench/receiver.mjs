// A receiver of deliveries in a thread of its own: answers 200 and tells its port.
import { createServer } from 'node:http';
import { parentPort } from 'node:worker_threads';

const server = createServer((request, response) => {
	request.resume();
	request.on('end', () => response.end('ok'));
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
