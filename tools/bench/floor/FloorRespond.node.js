exports.FloorRespond = require('./nodes.js').FloorRespond;
