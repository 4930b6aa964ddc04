exports.FloorTrigger = require('./nodes.js').FloorTrigger;
