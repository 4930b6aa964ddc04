/** A failure that is explained without a stack trace. Recognized by name, since tsx loads this file a second time. */
export class SetupError extends Error {
	name = 'SetupError';
}

/** Runs work as a command. An explained failure prints its message, any other its stack; both exit with 1. */
export async function runAsCommand(work) {
	try {
		await work();
	} catch (error) {
		console.error(error?.name === 'SetupError' ? `\n✖ ${error.message}` : error);
		process.exitCode = 1;
	}
}
