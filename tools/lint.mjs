// Runs n8n's linter (strict), the one with our own rules and the formatter, side by side; all must be content.
import { runScript } from './checks/run.mjs';

const HOUSE = ['--config', 'eslint.house.config.mjs', '--max-warnings', '0', '.'];
const CHECKS = [
	['node_modules/@n8n/node-cli/bin/n8n-node.mjs', 'lint'],
	['node_modules/eslint/bin/eslint.js', ...HOUSE],
	['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'],
];
// Folders that are not shipped (sandbox, test, tools) then have a configuration of their own.
const env = { ESLINT_FLAGS: 'unstable_config_lookup_from_file' };

const all = await Promise.all(
	CHECKS.map(async (args) => await runScript(args, { minutes: 5, holdOutput: true, env })),
);
process.exitCode = all.every(Boolean) ? 0 : 1;
