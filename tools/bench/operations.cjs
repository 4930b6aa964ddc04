// Prints how many operations the nodes in some files offer; one for a node without any, such as a trigger.
function operationsOf(file) {
	const [Node] = Object.values(require(file)).filter((value) => typeof value === 'function');
	const node = new Node();
	const { description } = node.nodeVersions ? Object.values(node.nodeVersions).at(-1) : node;
	const selectors = (description?.properties ?? []).filter(({ name }) => name === 'operation');
	return selectors.reduce((sum, { options = [] }) => sum + options.length, 0) || 1;
}

const nodes = process.argv.slice(2).filter((file) => /\.node\.js$/.test(file));
console.log(nodes.reduce((sum, file) => sum + operationsOf(file), 0));
