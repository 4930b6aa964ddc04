// Runs n8n's linter (strict), the one with our own rules and the formatter, side by side; all must be content.
import { runScript } from './checks/run.mjs';

const all = await Promise.all([
	runScript(['node_modules/@n8n/node-cli/bin/n8n-node.mjs', 'lint'], {
		minutes: 5,
		holdOutput: true,
		// Folders that are not shipped (sandbox, test, tools) then have a configuration of their own.
		env: { ESLINT_FLAGS: 'unstable_config_lookup_from_file' },
	}),
	runScript(
		[
			'node_modules/eslint/bin/eslint.js',
			'--config',
			'eslint.house.config.mjs',
			'--max-warnings',
			'0',
			'.',
		],
		{ minutes: 5, holdOutput: true },
	),
	runScript(['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'], {
		minutes: 5,
		holdOutput: true,
	}),
]);
process.exitCode = all.every(Boolean) ? 0 : 1;
