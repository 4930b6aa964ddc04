// Runs all linters side by side: n8n's own (strict), the house rules, the formatter, and knip (unused files, exports,
// and dependencies). The prose has a command of its own: `npm run prose`.
import { runScript } from './checks/run.mjs';

const HOUSE = ['--config', 'eslint.house.config.mjs', '--max-warnings', '0', '.'];
const CHECKS = [
	['node_modules/@n8n/node-cli/bin/n8n-node.mjs', 'lint'],
	['node_modules/eslint/bin/eslint.js', ...HOUSE],
	['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'],
	['node_modules/knip/bin/knip.js'],
];
// Folders that aren't published (sandbox, test, tools) have their own configurations.
const env = { ESLINT_FLAGS: 'unstable_config_lookup_from_file' };

const all = await Promise.all(
	CHECKS.map(async (args) => await runScript(args, { holdOutput: true, env })),
);
process.exitCode = all.every(Boolean) ? 0 : 1;
