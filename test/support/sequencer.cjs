const Sequencer = require('@jest/test-sequencer').default;

/** Files that take long, mostly by waiting; jest knows that only from its second run on, and takes large files first. */
const SLOW = [
	'unit/util/phone',
	'faults/matrix',
	'contract/actions/month',
	'contract/trigger-check',
	'contract/record-trigger.test',
	'kits/crm',
	'e2e/record-trigger-publishing',
	'e2e/examples-live',
	'e2e/call-back-desk',
	'e2e/restart',
	'e2e/call-records',
	'e2e/kits-services',
	'e2e/talk-review',
	'e2e/editor-node',
	'e2e/hostile',
	'e2e/secrets',
	'e2e/examples.test',
	'e2e/trigger.test',
	'e2e/examples-calls',
	'e2e/call-table',
	'e2e/routing',
	'e2e/start',
	'e2e/burst',
	'e2e/examples-ai',
	'e2e/recording-link',
	'e2e/trigger-check',
].map((part) => `/test/${part}`);

const rankOf = ({ path }) => {
	const index = SLOW.findIndex((part) => path.replaceAll('\\', '/').includes(part));
	return index < 0 ? SLOW.length : index;
};

/** Begins with slow files, so that no worker is left alone with one at the end. */
module.exports = class extends Sequencer {
	sort(tests) {
		return super.sort(tests).sort((one, other) => rankOf(one) - rankOf(other));
	}
};
