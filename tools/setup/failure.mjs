/** A failure that is explained to the user without a stack trace. It is known by its name: tsx loads this file once more. */
export class SetupError extends Error {
	name = 'SetupError';
}

/** Runs work as a command: an explained failure prints its words only, any other its stack; both exit with 1. */
export async function runAsCommand(work) {
	try {
		await work();
	} catch (error) {
		console.error(error?.name === 'SetupError' ? `\n✖ ${error.message}` : error);
		process.exitCode = 1;
	}
}
