// Runs a command. When the parent process is gone, ends the command with everything it started.
// Usage: started with an IPC channel and as leader of a process group: leash.mjs <command>
// [arguments]
import { spawn } from 'node:child_process';

const GRACE_MS = 10_000;

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });

child.once('spawn', () => process.send?.({ pid: child.pid }));
child.once('error', (error) => {
	console.error(error.message);
	process.exit(127);
});
child.once('exit', (code) => process.exit(code ?? 1));

process.on('SIGTERM', () => child.kill('SIGTERM'));
process.on('SIGINT', () => child.kill('SIGTERM'));
process.once('disconnect', () => {
	child.kill('SIGTERM');
	// Signals the whole group, including this process.
	setTimeout(() => process.kill(-process.pid, 'SIGKILL'), GRACE_MS);
});
