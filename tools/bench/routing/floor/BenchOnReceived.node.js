const { emptyTrigger } = require('./trigger.js');

exports.BenchOnReceived = emptyTrigger('benchOnReceived', 'onReceived', 'POST');
