exports.FloorReads = require('./nodes.js').FloorReads;
