const { readerNode } = require('./reader.js');

const AT_ONCE = 20;

/** The least that a node can do to read something for each item: so many requests at once. */
exports.BenchReads = readerNode('benchReads', async (context, read) => {
	const { length } = context.getInputData();
	const results = [];
	let next = 0;
	const reader = async () => {
		while (next < length) {
			const item = next++;
			const { data } = await read(item);
			results[item] = { json: data, pairedItem: { item } };
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, reader));
	return results;
});
