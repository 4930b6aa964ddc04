// Sends events to a webhook from a process of its own and prints what autocannon found.
// Called with a JSON of `{ url, callers, body }`, `seconds` or `amount` of requests, and `patience` in seconds; `$id` in the body becomes a new id each time.
// (autocannon's own idReplacement announces another length than it sends.)
const { randomUUID } = require('node:crypto');
const autocannon = require('autocannon');

const { url, callers, seconds, amount, patience = 90, body } = JSON.parse(process.argv[2]);
const withNewId = (request) => ({ ...request, body: body.replace('$id', randomUUID()) });

autocannon({
	url,
	connections: callers,
	...(amount ? { amount } : { duration: seconds }),
	// Longer than the deadline of the trigger (60 s): its fallback is an answer, too.
	timeout: patience,
	method: 'POST',
	headers: { 'content-type': 'application/json' },
	requests: [{ setupRequest: withNewId }],
}).then((result) => console.log(JSON.stringify(result)));
