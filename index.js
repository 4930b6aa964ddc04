// n8n loads the nodes and the credential by the paths in package.json; there is nothing else to import.
module.exports = {};
