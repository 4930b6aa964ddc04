exports.FloorDownload = require('./nodes.js').FloorDownload;
