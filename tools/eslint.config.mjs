import base from '../test/eslint.config.mjs';

/** The private package tools/extras has dependencies of its own, which lint doesn't install. */
const withoutExtras = {
	files: ['**/extras/**/*.ts'],
	rules: { 'import-x/no-unresolved': ['error', { ignore: ['^sharp$'] }] },
};

export default [...base, withoutExtras];
