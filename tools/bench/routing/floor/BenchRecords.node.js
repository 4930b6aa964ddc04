const { readerNode } = require('./reader.js');

/** The least that a node can do to give one item per record: one request, its answer parsed by n8n's helper. */
exports.BenchRecords = readerNode('benchRecords', async (_, read) => {
	const { data } = await read(0);
	return data.map((json) => ({ json, pairedItem: { item: 0 } }));
});
