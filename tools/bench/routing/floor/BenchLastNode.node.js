const { emptyTrigger } = require('./trigger.js');

exports.BenchLastNode = emptyTrigger('benchLastNode', 'lastNode');
