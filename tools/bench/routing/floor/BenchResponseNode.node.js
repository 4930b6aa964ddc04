const { emptyTrigger } = require('./trigger.js');

exports.BenchResponseNode = emptyTrigger('benchResponseNode', 'responseNode');
