// Preloaded into n8n by the memory benchmark: collects garbage on SIGUSR2, so that a run starts
// from a small heap.
const v8 = require('node:v8');
const vm = require('node:vm');

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');
process.on('SIGUSR2', () => {
	for (let round = 0; round < 3; round++) collect();
});
