import { InvalidArgumentError } from 'commander';
import { CliError } from './client';

/** Reads a number from the command line. Throws words for commander to print. */
export function numberArgument(text: string): number {
	const value = Number(text);
	if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
		throw new InvalidArgumentError('It must be a number, 0 or more.');
	}
	return value;
}

/** Reads a port from the command line. Throws words for commander to print. */
export function portArgument(text: string): number {
	const port = Number(text);
	if (!Number.isInteger(port) || port < 0 || port > 65_535) {
		throw new InvalidArgumentError('It must be a port between 0 and 65535.');
	}
	return port;
}

/**
 * Reads `name=value` pairs; a value that is JSON is taken as such, anything else as text.
 * Throws a CliError naming the pair that has another form.
 */
export function pairs(texts: string[]): Record<string, unknown> {
	return Object.fromEntries(
		texts.map((text) => {
			const [, name, value] = /^([\w-]+)=(.*)$/s.exec(text) ?? [];
			if (name === undefined || value === undefined) {
				throw new CliError(`"${text}" must have the form name=value.`);
			}
			return [name, valueOf(value)];
		}),
	);
}

function valueOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
