import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from './failure.mjs';
import { LOG_FOLDER, ROOT } from './paths.mjs';

const seconds = (since) => `${Math.round((Date.now() - since) / 1000)} s`;

/** Shows that a long step is alive: a counting line on a terminal, a line every 20 s elsewhere. */
function startTicker(title) {
	const start = Date.now();
	const isTerminal = process.stdout.isTTY;
	console.log(`▸ ${title} …`);
	const tick = () => {
		if (isTerminal) process.stdout.write(`\r  ${seconds(start)} `);
		else console.log(`  … still at it after ${seconds(start)}`);
	};
	const timer = setInterval(tick, isTerminal ? 1000 : 20_000);
	return () => {
		clearInterval(timer);
		if (isTerminal) process.stdout.write('\r');
		return seconds(start);
	};
}

/** The last lines of a text file, without npm's noise about its own configuration. */
function tailOf(file, count = 25) {
	const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
	return lines
		.filter((line) => !/^npm warn (Unknown|deprecated)/.test(line))
		.slice(-count)
		.map((line) => `    ${line}`)
		.join('\n');
}

/**
 * Runs one command of the set-up with its output in a log file.
 *
 * @param {string} title what the user reads while it runs
 * @param {{command: string, args: string[], shell?: boolean}} call for example `npm('ci')`
 * @param {{log: string, cwd?: string, minutes?: number, hint?: (log: string) => string | undefined}} options
 *   `log` names the log file; `hint` may turn a failed run's log into advice
 * @throws {SetupError} with the end of the log when the command fails or takes too long
 */
export async function runStep(title, call, { log, cwd = ROOT, minutes = 20, hint }) {
	mkdirSync(LOG_FOLDER, { recursive: true });
	const file = path.join(LOG_FOLDER, `${log}.log`);
	const output = openSync(file, 'w');
	const stopTicker = startTicker(title);
	const child = spawn(call.command, call.args, {
		cwd,
		shell: call.shell,
		stdio: ['ignore', output, output],
	});
	const timer = setTimeout(() => child.kill(), minutes * 60_000);
	const failure = await new Promise((resolve) => {
		child.on('error', (error) => resolve(error.message));
		child.on('exit', (code, signal) =>
			resolve(code === 0 ? undefined : `ended with ${signal ?? code}`),
		);
	});
	clearTimeout(timer);
	closeSync(output);
	const took = stopTicker();
	if (failure === undefined) {
		console.log(`✔ ${title.replace(/ \(.*\)$/, '')}: ${took}`);
		return;
	}
	const advice = hint?.(readFileSync(file, 'utf8'));
	throw new SetupError(
		`${title}: ${failure} after ${took}. The end of its log:\n\n${tailOf(file)}\n\n` +
			`${advice ? `What to do: ${advice}\n` : ''}Whole log: ${path.relative(ROOT, file)}`,
	);
}
