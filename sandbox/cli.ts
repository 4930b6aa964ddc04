import { runCli } from './cli/program';

void runCli(process.argv.slice(2), {
	out: (text) => process.stdout.write(text),
	err: (text) => process.stderr.write(text),
}).then((code) => {
	process.exitCode = code;
});
